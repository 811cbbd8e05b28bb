import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

export type SideEntry = {
  label: string;
  href: string;
  Icon: LucideIcon;
  /** The keyboard shortcut that opens the entry. */
  shortcut?: string;
  isCurrent: boolean;
};

/** A page with its side navigation (tabs on narrow screens) and the content beside it. */
export function SideFrame({
  label,
  title,
  entries,
  children,
}: {
  /** The name of the navigation for screen readers. */
  label: string;
  title: ReactNode;
  entries: SideEntry[];
  children: ReactNode;
}) {
  return (
    <div className="mx-auto max-w-page gap-8 px-4 pb-16 text-sm sm:px-6 lg:flex">
      <aside className="side-navigation pt-3 lg:w-52 lg:pt-6 lg:shrink-0">
        {title}
        <nav
          aria-label={label}
          className="flex gap-1 border-b border-base-300 max-lg:overflow-x-auto max-lg:overflow-y-hidden max-lg:pb-px max-lg:[scrollbar-width:none] max-sm:gap-0 lg:mt-3 lg:flex-col lg:border-0"
        >
          {entries.map(({ label, href, Icon, shortcut, isCurrent }) => (
            <a
              key={href}
              href={href}
              data-shortcut={shortcut}
              aria-current={isCurrent ? 'page' : undefined}
              className="-mb-px flex h-10 items-center gap-2.5 whitespace-nowrap border-b-2 border-transparent px-2.5 font-medium text-quiet hover:text-base-content max-sm:px-1.5 aria-[current]:border-primary aria-[current]:text-base-content lg:mb-0 lg:h-9 lg:rounded-md lg:border-0 lg:hover:bg-base-200 lg:aria-[current]:bg-base-300"
            >
              <Icon size={16} aria-hidden className="shrink-0 max-sm:hidden" />
              {label}
            </a>
          ))}
        </nav>
      </aside>
      <main id="main" className="min-w-0 grow pt-6">
        {children}
      </main>
    </div>
  );
}
