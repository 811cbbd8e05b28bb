import { expect, test } from 'bun:test';
import { DAY } from '../../../contract/limits.ts';
import { type Cause, keptAs } from './kept-as.ts';

const READY = { status: 'success', version_id: null } as const;
const keep = (cause: Cause, days: number, versions: number) =>
  keptAs(READY, cause, { keep_deleted_days: days, keep_versions: versions }, 1000);

test('a deleted file is kept for some days, whatever is kept of versions', () => {
  const inTrash = { removal: 'deleted' as const, purge_at: 1000 + 7 * DAY };
  expect(keep('deleted', 7, 0)).toEqual(inTrash);
  expect(keep('deleted', 7, 5)).toEqual(inTrash);
  expect(keep('deleted', 0, 5)).toBeNull();
});

test('a replaced file is a version, and without versions it is kept like a deleted one', () => {
  expect(keep('replaced', 0, 5)).toEqual({ removal: 'replaced', purge_at: null });
  expect(keep('replaced', 7, 5)).toEqual({ removal: 'replaced', purge_at: null });
  expect(keep('replaced', 7, 0)).toEqual({ removal: 'deleted', purge_at: 1000 + 7 * DAY });
  expect(keep('replaced', 0, 0)).toBeNull();
});

test('a version that was stored while the bucket kept versions stays one when it keeps no more', () => {
  const version = { ...READY, version_id: 'a' };
  const rules = { keep_deleted_days: 7, keep_versions: 0 };
  expect(keptAs(version, 'replaced', rules, 1000)).toEqual({ removal: 'replaced', purge_at: null });
  expect(keptAs(version, 'deleted', rules, 1000)?.removal).toBe('deleted');
});

test('a file that nobody could open is not kept', () => {
  const rules = { keep_deleted_days: 7, keep_versions: 5 };
  for (const status of ['processing', 'error'] as const) {
    for (const cause of ['deleted', 'replaced'] as const) {
      expect(keptAs({ status, version_id: null }, cause, rules, 1000)).toBeNull();
    }
  }
});
