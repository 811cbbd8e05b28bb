import { expect, test } from 'bun:test';
import { metadataParts } from '../../../server/features/files/listing/metadata-filter.ts';
import { filterLabel, metadataFilter, textProblems, toMetadata } from './texts.ts';

const texts = (...pairs: [string, string][]) =>
  pairs.map(([name, value], id) => ({ id, name, value }));

test('a text needs a name that no other has, and an empty one is left out', () => {
  expect(textProblems(texts(['a', ''], ['b', '1'], ['', '']))).toEqual(new Map());
  expect(textProblems(texts(['a', '1'], ['a', '2'], ['', 'x'], ['', '']))).toEqual(
    new Map([
      [1, 'Another text has this name.'],
      [2, 'Enter a name.'],
    ]),
  );
  expect(toMetadata(texts(['a', '1'], ['', ''], ['b', '']))).toEqual({ a: '1', b: '' });
});

test('a filter finds the text that it was made from, whatever its characters', () => {
  for (const [name, value] of [
    ['project', 'Harbour'],
    ['a&b=c', 'd+e %&"\\'],
    ['ä 新', ''],
  ] as const) {
    const filter = metadataFilter(name, value);
    const stored = JSON.stringify({ [name]: value });
    expect(
      metadataParts(filter).every((parts) => parts.some((part) => stored.includes(part))),
    ).toBe(true);
  }
  expect(filterLabel(metadataFilter('project', 'Harbour & sea'))).toBe('project: Harbour & sea');
});
