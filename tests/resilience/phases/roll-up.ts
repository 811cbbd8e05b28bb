import { expect } from 'bun:test';
import { DAY } from '../../../server/contract/limits.ts';
import { newId } from '../../../server/platform/ids.ts';
import { rounds } from '../../support/fixtures/torture.ts';
import type { Phase } from './phase.ts';
import { BUCKET, type Scene, TODAY, USER } from './scene.ts';

/** How many days ago the newest days to roll up are: of what files sent, and of all others. */
const [SENT_DAYS_AGO, DAYS_AGO] = [100, 900];
const [FILES, FILE_DAYS] = [rounds(100, 30), 60];
const [BUCKETS, BUCKET_DAYS] = [rounds(40, 12), 80];
/** The days to be added up over all buckets, and what one bucket stored and sent on each. */
const [TOTAL_DAYS, STORED, SENT] = [5, 30, 10];

const daysBack = (ago: number, days: number) =>
  Array.from({ length: days }, (_, n) => TODAY - (ago + n) * DAY);
const isOld = (ago: number) => `day > 0 and day <= ${TODAY - ago * DAY}`;

/** The roll-up of days that are too old to be charted, and the sums of days that are over. */
export function rollUp(): Phase {
  /** The sums over all days of a bucket or a file, which stay as they were. */
  const sums = new Map<string, unknown>();
  /** The deleted buckets of which only old days were left. */
  const goneIds: string[] = [];

  return {
    name: 'the roll-up of old days',

    leaveWork(scene) {
      if (sums.size === 0) addTotalDays(scene);
      const buckets = Array.from({ length: BUCKETS }, () => newId(Date.now()));
      const [gone = '', , ...existing] = buckets;
      goneIds.push(gone);
      for (const id of existing) scene.addBucket(id, USER);
      for (const id of buckets) addBucketDays(scene, id, id === gone ? [] : [TODAY]);
      const files = scene.addFiles(BUCKET, FILES, false);
      addFileDays(scene, files);
      for (const id of [...buckets, ...files]) if (id !== gone) sums.set(id, sumsOf(scene, id));
    },

    countLeft: (scene) =>
      scene.count(
        `select (select count(*) from file_bandwidth where ${isOld(SENT_DAYS_AGO)})
          + (select count(*) from file_growth where ${isOld(DAYS_AGO)})
          + (select count(*) from usage_days where ${isOld(DAYS_AGO)})`,
      ),

    check(scene) {
      for (const [id, sum] of sums) expect(sumsOf(scene, id)).toEqual(sum);
      for (const id of goneIds) expect(sumsOf(scene, id)).toEqual(sumsOf(scene, 'never used'));
      const totals = `select day, stored, bandwidth from usage_totals
        where day between ${TODAY - TOTAL_DAYS * DAY} and ${TODAY - DAY} order by day desc`;
      const expected = daysBack(1, TOTAL_DAYS).map((day) => [day, STORED, SENT]);
      expect(scene.database.query(totals).values()).toEqual(expected);
    },
  };
}

/** Leaves the last days to be added up, before which everything is. */
function addTotalDays(scene: Scene): void {
  const before = TODAY - (TOTAL_DAYS + 1) * DAY;
  scene.insert('usage_totals', [{ day: before, stored: 0, bandwidth: 0 }]);
  const days = daysBack(1, TOTAL_DAYS);
  scene.insert(
    'usage_days',
    days.map((day) => ({ bucket_id: BUCKET, day, stored: STORED, bandwidth: SENT })),
  );
}

function addBucketDays(scene: Scene, id: string, recent: number[]): void {
  const days = [...recent, ...daysBack(DAYS_AGO, BUCKET_DAYS)];
  scene.insert(
    'usage_days',
    days.map((day, at) => ({
      ...{ bucket_id: id, day, bandwidth: at + 1, uploaded: at + 2 },
      ...{ stored: at + 3, kept: at + 4, removed: at + 5 },
    })),
  );
}

function addFileDays(scene: Scene, ids: string[]): void {
  const rowsOf = (days: number[]) =>
    ids.flatMap((id) => [TODAY, ...days].map((day, at) => ({ file_id: id, day, bytes: at + 1 })));
  scene.insert('file_bandwidth', rowsOf(daysBack(SENT_DAYS_AGO, FILE_DAYS)));
  scene.insert('file_growth', rowsOf(daysBack(DAYS_AGO, FILE_DAYS / 10)));
}

/** Returns the sums over all days of a bucket or a file. */
function sumsOf({ database }: Scene, id: string): unknown {
  return database
    .query(
      `select (select sum(bytes) from file_bandwidth where file_id = $id),
        (select sum(bytes) from file_growth where file_id = $id),
        sum(bandwidth), sum(uploaded), sum(stored), sum(kept), sum(removed)
      from usage_days where bucket_id = $id`,
    )
    .values({ id });
}
