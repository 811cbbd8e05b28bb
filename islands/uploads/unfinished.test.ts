import { describe, expect, test } from 'bun:test';
import { VIDEO_CHUNK_BYTES } from '../../server/contract/limits.ts';
import {
  likelyUnfinished,
  parseUnfinished,
  percentArrived,
  putUnfinished,
  type Unfinished,
  withoutUnfinished,
} from './unfinished.ts';

const NOW = 1_000_000;
const entry = (change: Partial<Unfinished> = {}): Unfinished => ({
  bucketId: 'b1',
  clientId: 'c1',
  name: 'holiday.mp4',
  size: 20 * 1024 * 1024,
  lastModified: 123,
  sha256: 'ab',
  access: 'private',
  resolution: '1280x720',
  timelinePreview: true,
  received: 1,
  expires: NOW + 1,
  ...change,
});

describe('what is stored', () => {
  test('comes back as it was', () => {
    const list = [entry(), entry({ clientId: 'c2', bucketId: 'b2' })];
    expect(parseUnfinished(JSON.stringify(list), NOW)).toEqual(list);
  });

  test('is left out once it has expired', () => {
    const list = [entry({ expires: NOW }), entry({ clientId: 'c2' })];
    expect(parseUnfinished(JSON.stringify(list), NOW).map((one) => one.clientId)).toEqual(['c2']);
  });

  test.each([
    null,
    '',
    '{',
    '{}',
    '7',
    '[null, 7, "x", {}]',
    JSON.stringify([{ ...entry(), size: 'x' }]),
  ])('is nothing where it is %p', (stored) => expect(parseUnfinished(stored, NOW)).toEqual([]));
});

describe('the list', () => {
  test('keeps ten of a bucket, the newest', () => {
    let list: Unfinished[] = [entry({ bucketId: 'other' })];
    for (let at = 0; at < 12; at += 1) list = putUnfinished(list, entry({ clientId: `c${at}` }));
    const own = list.filter(({ bucketId }) => bucketId === 'b1');
    expect(own.map(({ clientId }) => clientId)).toEqual([
      'c11',
      'c10',
      'c9',
      'c8',
      'c7',
      'c6',
      'c5',
      'c4',
      'c3',
      'c2',
    ]);
    expect(list).toHaveLength(11);
  });

  test('keeps fifty in all, however many buckets there are', () => {
    let list: Unfinished[] = [];
    for (let at = 0; at < 200; at += 1) list = putUnfinished(list, entry({ bucketId: `b${at}` }));
    expect(list).toHaveLength(50);
    expect(list[0]?.bucketId).toBe('b199');
  });

  test('has each upload once, as it was told last', () => {
    const list = putUnfinished([entry(), entry({ clientId: 'c2' })], entry({ received: 2 }));
    expect(list.map(({ clientId, received }) => [clientId, received])).toEqual([
      ['c1', 2],
      ['c2', 1],
    ]);
    expect(withoutUnfinished(list, entry()).map(({ clientId }) => clientId)).toEqual(['c2']);
    expect(withoutUnfinished(list, entry({ bucketId: 'b2' }))).toHaveLength(2);
  });
});

describe('a chosen file', () => {
  const { name, size, lastModified } = entry();
  test('is looked for by name, size and time of change, in its bucket', () => {
    expect(likelyUnfinished([entry()], 'b1', { name, size, lastModified })).toHaveLength(1);
    expect(likelyUnfinished([entry()], 'b2', { name, size, lastModified })).toEqual([]);
  });
  test.each([{ name: 'Holiday.mp4' }, { size: size + 1 }, { lastModified: 124 }])(
    'is another one with %p',
    (change) => {
      const file = { name, size, lastModified, ...change };
      expect(likelyUnfinished([entry()], 'b1', file)).toEqual([]);
    },
  );
});

test('the part that has arrived is told in whole per cent, and is never more than all', () => {
  expect(percentArrived({ received: 1, size: 2 * VIDEO_CHUNK_BYTES })).toBe(50);
  expect(percentArrived({ received: 1, size: 3 * VIDEO_CHUNK_BYTES })).toBe(33);
  expect(percentArrived({ received: 2, size: VIDEO_CHUNK_BYTES + 1 })).toBe(100);
  expect(percentArrived({ received: 0, size: 0 })).toBe(0);
});
