import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '..');
const text = readFileSync(join(ROOT, 'docs/security/asvs.md'), 'utf8');
const rows = text.split('\n').filter((line) => /^\| \d/.test(line));

/** The numbers of the requirements of levels 1 and 2 in each section of ASVS 5.0.0. */
const REQUIREMENTS: Record<string, number[]> = {
  '4.1': [1, 2, 3],
  '4.2': [1],
  '4.3': [1, 2],
  '4.4': [1, 2, 3, 4],
  '5.1': [1],
  '5.2': [1, 2, 3],
  '5.3': [1, 2],
  '5.4': [1, 2, 3],
  '6.1': [1, 2, 3],
  '6.2': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
  '6.3': [1, 2, 3, 4],
  '6.4': [1, 2, 3, 4],
  '6.5': [1, 2, 3, 4, 5],
  '6.6': [1, 2, 3],
  '6.8': [1, 2, 3, 4],
  '7.1': [1, 2, 3],
  '7.2': [1, 2, 3, 4],
  '7.3': [1, 2],
  '7.4': [1, 2, 3, 4, 5],
  '7.5': [1, 2],
  '7.6': [1, 2],
  '8.1': [1, 2],
  '8.2': [1, 2, 3],
  '8.3': [1],
  '8.4': [1],
  '13.1': [1],
  '13.2': [1, 2, 3, 4, 5],
  '13.3': [1, 2],
  '13.4': [1, 2, 3, 4, 5],
};

test('every requirement of levels 1 and 2 is listed once, with a state and a reason', () => {
  const expected = Object.entries(REQUIREMENTS).flatMap(([section, numbers]) =>
    numbers.map((number) => `${section}.${number}`),
  );
  expect(rows.map((row) => row.split('|')[1]?.trim())).toEqual(expected);
  for (const row of rows) {
    expect(row).toMatch(/^\| [\d.]+ \| [12] \| [^|]+ \| (yes|partly|no|n\/a) \| [^|]{8,} \|$/);
  }
});

test('every file that is named exists', () => {
  const paths = [...text.matchAll(/`([\w./-]+\.(?:tsx?|md)|\.dockerignore)`/g)].map(
    ([, path]) => path ?? '',
  );
  expect(paths.length).toBeGreaterThan(100);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
