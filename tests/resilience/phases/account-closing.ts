import { expect } from 'bun:test';
import { DAY, GIB, HOUR } from '../../../server/contract/limits.ts';
import { newId } from '../../../server/platform/ids.ts';
import { rounds } from '../../support/fixtures/torture.ts';
import type { Phase } from './phase.ts';
import { CREDIT, OBJECT_BYTES, type Scene, TODAY } from './scene.ts';

const BUCKETS = rounds(100, 20);
/** In each bucket; the failed ones have no objects. */
const [FAILED_FILES, STORED_FILES] = [rounds(300, 100), 5];
/** What a GiB of traffic in each bucket costs on each of two days, in micro-USD. */
const COST = BUCKETS * 2 * 5000;

/** The end of accounts, with all of their buckets. */
export function accountClosing(): Phase {
  const userIds: string[] = [];
  const bucketIds: string[] = [];

  return {
    name: 'the end of an account',

    leaveWork(scene) {
      const userId = newId(Date.now());
      userIds.push(userId);
      scene.addAccounts([userId], 'deleting');
      for (let n = 0; n < BUCKETS; n += 1) bucketIds.push(addBucket(scene, userId));
      const now = Date.now();
      scene.insert('jobs', [
        {
          ...{ id: newId(now), kind: 'delete-account', subject: userId, owner: userId },
          ...{ payload: '{}', state: 'queued', ready: 1, run_at: now, created_at: now },
        },
      ]);
    },

    countLeft: (scene) =>
      scene.count(
        `select (select count(*) from users where status = 'deleting') + (select count(*) from files
          where bucket_id in (select id from buckets where status = 'deleting'))`,
      ),

    check(scene) {
      const sums = { grant: CREDIT, charge: -COST, forfeit: COST - CREDIT };
      for (const userId of userIds) expect(sumsOf(scene, userId)).toEqual(sums);
      const theirs = `user_id in (${userIds.map((id) => `'${id}'`)})`;
      for (const table of ['buckets', 'usage_hours'])
        expect(scene.count(`select count(*) from ${table} where ${theirs}`)).toBe(0);
      const open = `select user_id from ledger_accounts where closed_at is null and ${theirs}`;
      expect(scene.texts(open)).toEqual(new Set());
      const stored = `select bucket_id from billed_buckets where stored <> 0 and ${theirs}`;
      expect(scene.texts(stored)).toEqual(new Set());
      // Their objects are deleted like those of any other bucket.
      const scheduled = scene.texts(
        `select prefix from pending_deletes where not_before <= ${Date.now()}`,
      );
      const isForgotten = (prefix: string) => !scheduled.has(prefix) && scene.isStored(prefix);
      expect(bucketIds.map((id) => `f/${id}/`).filter(isForgotten)).toEqual([]);
    },
  };
}

/** Adds a bucket with files, and its usage of two days. */
function addBucket(scene: Scene, userId: string): string {
  const id = newId(Date.now());
  scene.addBucket(id, userId, 'deleting');
  scene.addFiles(id, FAILED_FILES, false);
  scene.addFiles(id, STORED_FILES, true);
  const bytes = STORED_FILES * OBJECT_BYTES;
  scene.insert(
    'usage_hours',
    [2, 1].map((ago) => ({
      ...{ user_id: userId, bucket_id: id, hour: TODAY - ago * DAY, bandwidth: GIB, uploaded: 0 },
      ...{ stored_change: ago === 2 ? bytes : 0, stored_gib_ms: 0 },
      stored_byte_ms: ago === 2 ? bytes * HOUR : 0,
    })),
  );
  return id;
}

/** Returns the sums of an account's entries by their kind. */
function sumsOf({ database }: Scene, userId: string): Record<string, number> {
  const query = 'select kind, sum(amount) from ledger_entries where user_id = ? group by kind';
  return Object.fromEntries(database.query(query).values(userId));
}
