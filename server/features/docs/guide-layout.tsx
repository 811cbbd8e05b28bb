import ArrowLeft from 'lucide-react/icons/arrow-left';
import ArrowRight from 'lucide-react/icons/arrow-right';
import { rawHtml } from '../../web/http/raw-html.ts';
import { DocsNavigation } from './docs-navigation.tsx';
import { GUIDE_PAGES, type GuidePage } from './guide-pages.ts';
import type { Article } from './markdown.tsx';

/**
 * A page of the guide, with all pages at the left (tabs on narrow screens) and its sections at the
 * right.
 */
export function GuideLayout({ page, article }: { page: GuidePage; article: Article }) {
  return (
    <div className="mx-auto max-w-page gap-10 px-4 pb-24 sm:px-6 lg:flex">
      <DocsNavigation current={`/docs/${page.slug}`} />
      <main id="main" className="min-w-0 max-w-[704px] grow pt-6 lg:pt-8">
        <article className="guide" {...rawHtml(article.html)} />
        <Neighbours slug={page.slug} />
      </main>
      {article.sections.length > 1 && <OnThisPage sections={article.sections} />}
    </div>
  );
}

function OnThisPage({ sections }: Pick<Article, 'sections'>) {
  return (
    <div className="hidden w-52 shrink-0 text-sm xl:block">
      <nav aria-label="On this page" className="sticky top-14 pt-9">
        <p className="pb-2 font-medium">On this page</p>
        <ul className="border-l border-base-300">
          {sections.map(({ id, text }) => (
            <li key={id}>
              <a href={`#${id}`} className="block py-1 pl-3 text-quiet hover:text-base-content">
                {text}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </div>
  );
}

function Neighbours({ slug }: { slug: string }) {
  const index = GUIDE_PAGES.findIndex((one) => one.slug === slug);
  const before = GUIDE_PAGES[index - 1];
  const after = GUIDE_PAGES[index + 1];
  return (
    <nav aria-label="Previous and next" className="mt-14 grid gap-4 sm:grid-cols-2">
      {before && (
        <a href={`/docs/${before.slug}`} rel="prev" className="card p-4 hover:border-primary">
          <span className="flex items-center gap-1.5 text-sm text-quiet">
            <ArrowLeft size={16} aria-hidden />
            Previous
          </span>
          <span className="mt-1 block font-medium">{before.title}</span>
        </a>
      )}
      {after && (
        <a
          href={`/docs/${after.slug}`}
          rel="next"
          className="card p-4 text-right hover:border-primary sm:col-start-2"
        >
          <span className="flex items-center justify-end gap-1.5 text-sm text-quiet">
            Next
            <ArrowRight size={16} aria-hidden />
          </span>
          <span className="mt-1 block font-medium">{after.title}</span>
        </a>
      )}
    </nav>
  );
}
