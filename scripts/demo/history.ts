import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { DAY } from '../../server/contract/limits.ts';

const DAYS = 45;
const MIB = 1024 * 1024;

/**
 * Spreads the files of a bucket over the last weeks, with the growth of their storage, and adds the
 * traffic of these weeks, which nobody has caused. The sums stay those of the real files. No server may be
 * using the database.
 */
export function addPast(dataDir: string, bucketId: string): void {
  const database = new Database(join(dataDir, 'wharf.db'), { strict: true });
  try {
    database.transaction(() => {
      spreadFiles(database, bucketId);
      addTraffic(database, bucketId);
    })();
  } finally {
    database.close();
  }
}

function spreadFiles(database: Database, bucketId: string): void {
  const now = Date.now();
  const today = now - (now % DAY);
  const files = database
    .query<{ id: string; size: number }, [string]>(
      'select id, size from files where bucket_id = ? order by created_at, id',
    )
    .all(bucketId);
  for (const [at, { id, size }] of files.entries()) {
    // The newest file stays where it is, and the others are days and some hours apart.
    const back = Math.round(((files.length - 1 - at) / files.length) * DAYS * DAY * 0.97);
    const createdAt = now - back;
    const day = createdAt - (createdAt % DAY);
    if (day === today) continue;
    database.run('update files set created_at = ? where id = ?', [createdAt, id]);
    const { grown } = database
      .query<{ grown: number }, [string]>(
        'select coalesce(sum(bytes), 0) as grown from file_growth where file_id = ?',
      )
      .get(id) ?? { grown: 0 };
    database.run('update file_growth set day = ? where file_id = ?', [day, id]);
    move(database, bucketId, { from: today, to: day, uploaded: size, stored: grown });
  }
  database.run('update buckets set created_at = ? where id = ?', [now - DAYS * DAY, bucketId]);
}

type Change = { from: number; to: number; uploaded: number; stored: number };

function move(database: Database, bucketId: string, { from, to, uploaded, stored }: Change) {
  const add = database.query(
    `insert into usage_days (bucket_id, day, uploaded, stored, kept) values (?1, ?2, ?3, ?4, ?4)
     on conflict (bucket_id, day) do update
     set uploaded = uploaded + ?3, stored = stored + ?4, kept = kept + ?4`,
  );
  add.run(bucketId, from, -uploaded, -stored);
  add.run(bucketId, to, uploaded, stored);
}

/** Adds what visitors could have read: less at weekends, and more as the weeks pass. */
function addTraffic(database: Database, bucketId: string): void {
  const today = Math.floor(Date.now() / DAY);
  const add = database.query(
    `insert into usage_days (bucket_id, day, bandwidth) values (?1, ?2, ?3)
     on conflict (bucket_id, day) do update set bandwidth = bandwidth + ?3`,
  );
  for (let at = 1; at <= DAYS; at += 1) {
    const day = (today - at) * DAY;
    const isWeekend = [0, 6].includes(new Date(day).getUTCDay());
    const wave = 1 + ((at * 29) % 17) / 17 + (DAYS - at) / DAYS;
    add.run(bucketId, day, Math.round((isWeekend ? 40 : 130) * wave * MIB));
  }
}
