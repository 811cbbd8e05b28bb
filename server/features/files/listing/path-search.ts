import { termsOf } from '../../../platform/db/listing.ts';

/** More words hardly narrow a search further, and each is looked for in every examined row. */
const MAX_SEARCH_WORDS = 8;

/** Returns the words of a search of files, of which MAX_SEARCH_WORDS count. */
export const searchWords = (text: string | undefined): string[] =>
  termsOf(text ?? '').slice(0, MAX_SEARCH_WORDS);

/** SQLite and PostgreSQL in the C collation know the cases of ASCII only, so that a pattern names both cases. */
const casesOf = (character: string): string[] =>
  [...new Set([character.toLowerCase(), character.toUpperCase()])].filter(
    (variant) => [...variant].length === 1,
  );

/** Returns a pattern for `glob` of SQLite that texts match which contain a word in any case. */
export const globPattern = (word: string): string =>
  `*${[...word].map((character) => classOf(character, (one) => (/[*?[]/.test(one) ? `[${one}]` : one))).join('')}*`;

/** Returns a regular expression for PostgreSQL that texts match which contain a word in any case. */
export const regularExpression = (word: string): string =>
  [...word]
    .map((character) => classOf(character, (one) => one.replace(/[\\^$.|?*+()[\]{}]/, '\\$&')))
    .join('');

function classOf(character: string, literal: (character: string) => string): string {
  const cases = casesOf(character);
  return cases.length > 1 ? `[${cases.join('')}]` : literal(character);
}
