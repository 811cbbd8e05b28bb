import { DAY } from '../../server/contract/limits.ts';
import type { UsageDayRow } from '../../server/features/usage/tables.ts';
import { inDatabase } from '../../tests/support/fixtures/file-rows.ts';

const MIB = 1024 * 1024;
const DAYS = 60;

/** A bucket that has been used for some weeks: it grows, and is read less at the week-end. */
export async function addHistory(dataDir: string, bucketId: string): Promise<void> {
  const today = Math.floor(Date.now() / DAY);
  const rows: UsageDayRow[] = Array.from({ length: DAYS }, (_, at) => {
    const day = (today - DAYS + at) * DAY;
    const isRest = [0, 6].includes(new Date(day).getUTCDay());
    const wave = 1 + ((at * 29) % 17) / 17;
    const uploaded = Math.round((isRest ? 1 : 5) * wave * MIB);
    const bandwidth = Math.round((isRest ? 60 : 180) * wave * MIB);
    return {
      bucket_id: bucketId,
      day,
      bandwidth,
      uploaded,
      stored: uploaded,
      kept: uploaded,
      removed: 0,
    };
  });
  await inDatabase(
    dataDir,
    `const names = Object.keys(given.rows[0]);
     const insert = file.query('insert into usage_days (' + names + ') values (' + names.map((name) => '$' + name) + ')');
     for (const row of given.rows) insert.run(row);
     file.query('update buckets set usage = usage + $stored, total_uploads = total_uploads + 60 where id = $id')
       .run({ id: given.bucketId, stored: given.rows.reduce((sum, { stored }) => sum + stored, 0) });`,
    { rows, bucketId },
  );
}
