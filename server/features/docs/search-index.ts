import type { DocsSearchEntry } from '../../contract/wire.ts';
import { groupPath } from './docs-navigation.tsx';
import type { Article } from './markdown.tsx';
import type { Group } from './openapi.ts';

/** Returns an entry for the start of a guide page and one for each of its sections. */
export function guideEntries(
  { slug, title }: { slug: string; title: string },
  { html, sections }: Article,
): DocsSearchEntry[] {
  const parts = html.split(/(?=<h2 id=")/);
  return parts.flatMap((part, at) => {
    const section = sections[at - 1];
    if (at > 0 && !section) return [];
    const path = section ? `/docs/${slug}#${section.id}` : `/docs/${slug}`;
    return [{ kind: 'guide', title, section: section?.text ?? '', path, text: textOf(part) }];
  });
}

/** Returns an entry for each call of the reference. */
export const callEntries = (groups: Group[]): DocsSearchEntry[] =>
  groups.flatMap(({ name, operations }) =>
    operations.map(({ id, method, path, summary }) => ({
      kind: 'call',
      title: `${method} ${path}`,
      section: summary,
      path: `${groupPath(name)}#${id}`,
      text: '',
    })),
  );

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#x27': "'", amp: '&' };

/** Returns the text of HTML that React has rendered, in lower case. */
const textOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(lt|gt|quot|#x27|amp);/g, (_whole, name: string) => ENTITIES[name] ?? ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
