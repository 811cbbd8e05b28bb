import { expect, test } from 'bun:test';
import type { FolderJobWire } from '../../../server/contract/wire.ts';
import { actionOf, resultOf } from './job-texts.ts';

const move: FolderJobWire = {
  ...{ id: '1', action: 'move', path: 'trips/2026/', target: 'archive/2026/' },
  target_bucket_id: null,
  ...{ status: 'completed', done: 40, conflicts: 0, failures: [] },
  date: '2026-11-27T00:00:00.000Z',
};
const copy: FolderJobWire = { ...move, action: 'copy', target_bucket_id: 'b' };
const deletion: FolderJobWire = { ...move, action: 'delete', target: null };

test('a job says what it does to which folder', () => {
  expect([move, copy, deletion].map(actionOf)).toEqual([
    ...['Moving 2026', 'Copying 2026', 'Deleting 2026'],
  ]);
});

test('a completed job says where the folder is', () => {
  expect(resultOf(move)).toBe('2026 was moved to archive.');
  expect(resultOf({ ...move, target: '2026/' })).toBe('2026 was moved to the top folder.');
  expect(resultOf({ ...move, target: 'trips/old/' })).toBe('2026 was renamed to old.');
  expect(resultOf(copy)).toBe('2026 was copied to archive.');
  expect(resultOf(deletion)).toBe('2026 was deleted.');
});

test('a job says how many files it has left', () => {
  expect(resultOf({ ...move, conflicts: 1 })).toBe(
    '40 files of 2026 moved. 1 file left in 2026: another file is at the new path, or the path would be too long.',
  );
  expect(resultOf({ ...copy, conflicts: 2 })).toBe(
    '40 files of 2026 copied. 2 files not copied: another file is at the new path, the path would be too long, or the file is still processing or not allowed in that bucket.',
  );
  expect(resultOf({ ...deletion, status: 'stopped', done: 32 })).toBe(
    'Stopped. 32 files of 2026 deleted.',
  );
});
