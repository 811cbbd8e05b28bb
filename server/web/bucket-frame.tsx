import ChartNoAxesColumn from 'lucide-react/icons/chart-no-axes-column';
import Files from 'lucide-react/icons/files';
import KeyRound from 'lucide-react/icons/key-round';
import Settings from 'lucide-react/icons/settings';
import type { ReactNode } from 'react';
import { SHORTCUTS } from '../contract/shortcuts.ts';

type Bucket = { id: string; name: string };

const ENTRIES = [
  {
    label: 'Overview',
    path: '/dashboard/bucket',
    Icon: ChartNoAxesColumn,
    shortcut: SHORTCUTS.overview,
  },
  { label: 'Files', path: '/dashboard/files', Icon: Files, shortcut: SHORTCUTS.files },
  { label: 'API Key', path: '/dashboard/api-key', Icon: KeyRound, shortcut: SHORTCUTS.apiKey },
  { label: 'Settings', path: '/dashboard/settings', Icon: Settings, shortcut: SHORTCUTS.settings },
];

/** A bucket's page: its side navigation (tabs on narrow screens) and the content beside it. */
export function BucketFrame({
  bucket,
  current,
  children,
}: {
  bucket: Bucket;
  /** The path of the page shown, without the bucket's id. */
  current: string;
  children: ReactNode;
}) {
  return (
    <div className="mx-auto max-w-[1248px] gap-8 px-4 pb-16 text-sm sm:px-6 lg:flex">
      <aside className="side-navigation pt-3 lg:pt-6 lg:w-52 lg:shrink-0">
        <p className="truncate px-2.5 font-semibold max-lg:hidden" data-bucket-name>
          {bucket.name}
        </p>
        <nav
          aria-label="Bucket"
          className="flex gap-1 border-b border-base-300 lg:mt-3 lg:flex-col lg:border-0"
        >
          {ENTRIES.map(({ label, path, Icon, shortcut }) => (
            <a
              key={path}
              href={`${path}/${bucket.id}`}
              data-shortcut={shortcut.keys}
              aria-current={path === current ? 'page' : undefined}
              className="-mb-px flex h-10 items-center gap-2.5 whitespace-nowrap border-b-2 border-transparent px-2.5 font-medium text-quiet hover:text-base-content aria-[current]:border-primary aria-[current]:text-base-content lg:mb-0 lg:h-9 lg:rounded-md lg:border-0 lg:hover:bg-base-200 lg:aria-[current]:bg-base-300"
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
