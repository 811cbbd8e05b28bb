import { GUIDE_PAGES, type GuidePage } from './guide-pages.ts';
import { type Article, renderMarkdown } from './markdown.tsx';

/** The URLs that replace the placeholders in the texts. */
export type Addresses = { appUrl: string; cdnUrl: string };

export type Guide = ReturnType<typeof createGuide>;

/**
 * Creates the guide, with the URLs of this server in its examples. A page is rendered when it is
 * first requested and then cached, which is bounded by the number of pages.
 */
export function createGuide(addresses: Addresses) {
  const rendered = new Map<string, Promise<Article>>();

  const render = async (page: GuidePage) =>
    renderMarkdown(filled((await page.load()).default, addresses));

  return {
    /** Returns a page of the guide; null where there is no such page. */
    async article(slug: string): Promise<{ page: GuidePage; article: Article } | null> {
      const page = GUIDE_PAGES.find((one) => one.slug === slug);
      if (!page) return null;
      const article = rendered.get(slug) ?? render(page);
      rendered.set(slug, article);
      return { page, article: await article };
    },
  };
}

export const filled = (text: string, { appUrl, cdnUrl }: Addresses): string =>
  text.replaceAll('{APP_URL}', appUrl).replaceAll('{CDN_URL}', cdnUrl);
