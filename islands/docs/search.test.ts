import { expect, test } from 'bun:test';
import type { DocsSearchEntry } from '../../server/contract/wire.ts';
import { findEntries, wordsOf } from './search.ts';

const entry = (section: string, text: string): DocsSearchEntry => ({
  kind: 'guide',
  title: 'Webhooks',
  section,
  path: `/docs/webhooks#${section}`,
  text,
});
const ENTRIES = [
  entry('Retries', 'after a signature was refused'),
  entry('Verify the signature', 'compare'),
];
const found = (text: string) => findEntries(ENTRIES, wordsOf(text)).map(({ section }) => section);

test('a word in a heading comes before one in the text, and all words must be there', () => {
  expect(found(' Signature ')).toEqual(['Verify the signature', 'Retries']);
  expect(found('signature refused')).toEqual(['Retries']);
  expect(found('signature nonsense')).toEqual([]);
  expect(found('  ')).toEqual([]);
});
