import type { ReactNode } from 'react';
import { API_GROUPS } from './api-document.ts';
import { GUIDE_GROUPS } from './guide-pages.ts';
import { SearchField } from './search-field.tsx';

/** Returns the path of the page with the calls of a group of the reference. */
export const groupPath = (name: string) => `/docs/api/${name.toLowerCase().replaceAll(' ', '-')}`;

const LINK =
  'flex h-10 shrink-0 items-center border-b-2 border-transparent px-2.5 font-medium text-quiet hover:text-base-content aria-[current]:border-primary aria-[current]:text-base-content lg:h-8 lg:rounded-md lg:border-0 lg:font-normal lg:hover:bg-base-200 lg:aria-[current]:bg-base-300 lg:aria-[current]:font-medium';
const TITLE = 'px-2.5 pt-4 pb-1 text-xs font-medium text-quiet max-lg:hidden';

/**
 * The navigation of the guide and the reference, with their search: at the left, or on narrow screens tabs.
 * @param current the path of the page
 * @param children what follows the group of calls that the page is about
 */
export function DocsNavigation({ current, children }: { current: string; children?: ReactNode }) {
  return (
    <div className="side-navigation pt-2 text-sm lg:sticky lg:top-14 lg:h-[calc(100dvh-3.5rem)] lg:w-60 lg:shrink-0 lg:overflow-y-auto lg:pt-8 lg:pb-8">
      <div className="py-2 lg:pt-0">
        <SearchField />
      </div>
      <div
        data-guide-tabs
        className="flex gap-1 overflow-x-auto shadow-[inset_0_-1px_var(--color-base-300)] lg:block lg:overflow-visible lg:shadow-none"
      >
        <nav aria-label="Guide" className="flex shrink-0 gap-1 lg:block">
          {GUIDE_GROUPS.map(({ title, pages }) => (
            <div key={title} className="flex shrink-0 gap-1 lg:block">
              <p className={TITLE}>{title}</p>
              {pages.map(({ slug, title }) => (
                <PageLink key={slug} path={`/docs/${slug}`} current={current}>
                  {title}
                </PageLink>
              ))}
            </div>
          ))}
        </nav>
        <nav aria-label="API reference" className="flex shrink-0 gap-1 lg:block">
          <p className={TITLE}>API reference</p>
          <PageLink path="/docs" current={current}>
            All calls
          </PageLink>
          {API_GROUPS.map(({ name }) => (
            <div key={name} className="flex shrink-0 lg:block">
              <PageLink path={groupPath(name)} current={current}>
                {name}
              </PageLink>
              {groupPath(name) === current && children}
            </div>
          ))}
        </nav>
      </div>
    </div>
  );
}

const PageLink = (link: { path: string; current: string; children: ReactNode }) => (
  <a
    href={link.path}
    aria-current={link.path === link.current ? 'page' : undefined}
    className={LINK}
  >
    {link.children}
  </a>
);
