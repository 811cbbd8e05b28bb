import { expect, test } from 'bun:test';
import { type FileCount, mergeCounts } from './ranking.ts';

const times = (requests: number): FileCount => ({ requests, bytes: 10 * requests, missed: 0 });
const ranked = (counts: Record<string, number>) =>
  Object.entries(counts).map(([id, requests]) => [id, times(requests)] as const);
const EMPTY = new Map<string, FileCount>();

test('counts are exact while there is room for every file', () => {
  const first = mergeCounts(EMPTY, ranked({ a: 3, b: 1 }), 3);
  const second = mergeCounts(first, ranked({ b: 4, c: 1 }), 3);
  expect(Object.fromEntries(second)).toEqual({ a: times(3), b: times(5), c: times(1) });
});

test('the files with the most requests stay, and no more than there is room for', () => {
  const files = mergeCounts(EMPTY, ranked({ a: 1, b: 9, c: 5, d: 2 }), 2);
  expect([...files.keys()].sort()).toEqual(['b', 'c']);
});

test('a file that comes into a full ranking may have missed requests, and never has more than it had', () => {
  const full = mergeCounts(EMPTY, ranked({ a: 9, b: 4 }), 2);
  const after = mergeCounts(full, ranked({ c: 2 }), 2);
  expect(after.get('c')).toEqual({ requests: 2, bytes: 20, missed: 4 });
  expect(after.get('a')).toEqual(times(9));
  expect(after.has('b')).toBe(false);
});

test('what is popular from now on is not kept out by what was popular before', () => {
  let ranking = mergeCounts(EMPTY, ranked({ a: 1000, b: 900 }), 2);
  for (let second = 0; second < 20; second += 1) {
    ranking = mergeCounts(ranking, ranked({ late: 100 }), 2);
  }
  expect(ranking.get('late')).toMatchObject({ requests: 2000, missed: 900 });
});

test('the requests of a file are between its count and what may be missing', () => {
  const truth: Record<string, number> = {};
  let ranking = EMPTY as Map<string, FileCount>;
  for (let round = 0; round < 200; round += 1) {
    const batch: Record<string, number> = { hot: 3 };
    for (let n = 0; n < 5; n += 1) batch[`f${(round * 7 + n * 13) % 90}`] = 1 + (n % 2);
    for (const [id, requests] of Object.entries(batch)) truth[id] = (truth[id] ?? 0) + requests;
    ranking = mergeCounts(ranking, ranked(batch), 10);
    expect(ranking.size).toBeLessThanOrEqual(10);
    for (const [id, { requests, missed }] of ranking) {
      expect(requests).toBeLessThanOrEqual(truth[id] ?? 0);
      expect(requests + missed).toBeGreaterThanOrEqual(truth[id] ?? 0);
    }
  }
  expect(ranking.get('hot')).toMatchObject({ requests: 600, missed: 0 });
});
