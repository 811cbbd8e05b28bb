import { describe, expect, test } from 'bun:test';
import { VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import {
  findExcessEntries,
  findLikelyResume,
  parseResumeEntry,
  percentReceived,
  type ResumeEntry,
} from './resume-entries.ts';

const NOW = 1_000_000;
const entry = (change: Partial<ResumeEntry> = {}): ResumeEntry => ({
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
    for (const one of [entry(), entry({ folder: '2026/', replace: true })]) {
      expect(parseResumeEntry(JSON.stringify(one), NOW)).toEqual(one);
    }
  });

  test('is nothing once it has expired', () => {
    expect(parseResumeEntry(JSON.stringify(entry({ expires: NOW })), NOW)).toBeNull();
  });

  test.each([
    null,
    '',
    '{',
    '{}',
    '7',
    '[]',
    JSON.stringify({ ...entry(), size: 'x' }),
    ...[{ replace: 'yes' }, { folder: 1 }].map((change) =>
      JSON.stringify({ ...entry(), ...change }),
    ),
  ])('is nothing where it is %p', (stored) => expect(parseResumeEntry(stored, NOW)).toBeNull());
});

describe('too many', () => {
  const entries = (count: number, change: (at: number) => Partial<ResumeEntry>) =>
    Array.from({ length: count }, (_, at) => entry(change(at)));

  test('are those of a bucket after its ten newest, whatever other buckets have', () => {
    const list = entries(12, (at) => ({ clientId: `c${at}` }));
    const all = [...list, entry({ bucketId: 'other' })];
    expect(findExcessEntries(all).map(({ clientId }) => clientId)).toEqual(['c10', 'c11']);
  });

  test('are those after the fifty newest, however many buckets there are', () => {
    const list = entries(200, (at) => ({ bucketId: `b${at}` }));
    expect(findExcessEntries(list)).toEqual(list.slice(50));
  });
});

describe('a chosen file', () => {
  const { name, size, lastModified } = entry();
  test('is looked for by name, size and time of change, in its bucket', () => {
    expect(findLikelyResume([entry()], 'b1', { name, size, lastModified })).toHaveLength(1);
    expect(findLikelyResume([entry()], 'b2', { name, size, lastModified })).toEqual([]);
  });
  test.each([{ name: 'Holiday.mp4' }, { size: size + 1 }, { lastModified: 124 }])(
    'is another one with %p',
    (change) => {
      const file = { name, size, lastModified, ...change };
      expect(findLikelyResume([entry()], 'b1', file)).toEqual([]);
    },
  );
});

test('the part that has arrived is told in whole per cent, and is never more than all', () => {
  expect(percentReceived({ received: 1, size: 2 * VIDEO_CHUNK_BYTES })).toBe(50);
  expect(percentReceived({ received: 1, size: 3 * VIDEO_CHUNK_BYTES })).toBe(33);
  expect(percentReceived({ received: 2, size: VIDEO_CHUNK_BYTES + 1 })).toBe(100);
  expect(percentReceived({ received: 0, size: 0 })).toBe(0);
});
