import type { DocsSearchEntry } from '../../server/contract/wire.ts';

const MAX_RESULTS = 12;

/** Returns the words of a search. */
export const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/** Returns the entries with all the words, those with a word in their headings first. */
export function findEntries(entries: DocsSearchEntry[], words: string[]): DocsSearchEntry[] {
  if (words.length === 0) return [];
  const ranked = entries.flatMap((entry) => {
    const heading = `${entry.title} ${entry.section}`.toLowerCase();
    const isFound = words.every((word) => heading.includes(word) || entry.text.includes(word));
    return isFound ? [{ entry, rank: words.filter((word) => heading.includes(word)).length }] : [];
  });
  return ranked
    .sort((one, other) => other.rank - one.rank)
    .slice(0, MAX_RESULTS)
    .map(({ entry }) => entry);
}
