import { expect } from 'bun:test';
import { DAY } from '../../../server/contract/limits.ts';
import { newId } from '../../../server/platform/ids.ts';
import { rounds } from '../../support/fixtures/torture.ts';
import type { Phase } from './phase.ts';
import { OBJECT_BYTES, USER } from './scene.ts';

/** Of a bucket. It deletes up to 256 in a turn, and a turn comes every few seconds. */
const EXPIRED = rounds(1000, 200);
const [OLD, RECENT] = [10 * DAY, DAY];
const RULES = [
  { prefix: 'logs/', days: 5 },
  { prefix: 'tmp', days: 9 },
];

const expired = Array.from({ length: EXPIRED }, (_, n) => `${n % 2 ? 'logs/' : 'tmp-'}${n}.txt`);
const keptOld = ['log', 'other/logs/a.txt', 'tm'];
const keptRecent = ['logs/recent.txt', 'tmp-recent.txt'];

/** The deletion of files by the rules of buckets, which name a beginning of paths and a number of days. */
export function expiryByPrefix(): Phase {
  const buckets: string[] = [];
  const ours = () => `bucket_id in (${buckets.map((id) => `'${id}'`)})`;
  const kept = [...keptOld, ...keptRecent].sort();

  return {
    name: 'the expiry of files by their paths',

    leaveWork(scene) {
      const now = Date.now();
      const bucket = newId(now);
      buckets.push(bucket);
      scene.addBucket(bucket, USER);
      scene.addPlainFiles(bucket, [...expired, ...keptOld], now - OLD);
      scene.addPlainFiles(bucket, keptRecent, now - RECENT);
      scene.database.run('update buckets set expiry_rules = ?, expiry_due_at = ? where id = ?', [
        ...[JSON.stringify(RULES), now, bucket],
      ]);
    },

    countLeft: (scene) =>
      Math.max(
        0,
        scene.count(`select count(*) from files where ${ours()}`) - buckets.length * kept.length,
      ),

    check(scene) {
      for (const bucket of buckets) {
        expect(scene.pathsOf(bucket)).toEqual(kept);
        const counted = scene.database
          .query('select total_uploads, usage from buckets where id = ?')
          .get(bucket);
        expect(counted).toEqual({
          total_uploads: kept.length,
          usage: kept.length * OBJECT_BYTES,
        });
      }
      const events = `select count(*) from audit_log where action = 'file.deleted'
        and json_extract(details, '$.bucket') in (${buckets.map((id) => `'${id}'`)})`;
      expect(scene.count(events)).toBe(buckets.length * EXPIRED);
    },
  };
}
