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
  const files = database
    .query<Uploaded, [string]>(
      'select id, size, created_at as at from files where bucket_id = ? order by created_at, id',
    )
    .all(bucketId);
  for (const [at, file] of files.entries()) {
    // The newest file stays where it is, and the others are days and some hours apart.
    const back = Math.round(((files.length - 1 - at) / files.length) * DAYS * DAY * 0.97);
    if (back > 0) moveFile(database, bucketId, file, now - back);
  }
  database.run('update buckets set created_at = ? where id = ?', [now - DAYS * DAY, bucketId]);
}

type Uploaded = { id: string; size: number; at: number };

/** Makes a file as old as if it had been uploaded at `createdAt`. */
function moveFile(database: Database, bucketId: string, file: Uploaded, createdAt: number): void {
  const dayOf = (time: number) => time - (time % DAY);
  const add = database.query(
    `insert into usage_days (bucket_id, day, uploaded, stored, kept) values (?1, ?2, ?3, ?4, ?4)
     on conflict (bucket_id, day) do update
     set uploaded = uploaded + ?3, stored = stored + ?4, kept = kept + ?4`,
  );
  add.run(bucketId, dayOf(file.at), -file.size, 0);
  add.run(bucketId, dayOf(createdAt), file.size, 0);
  // A file that is encoded around midnight has grown on two days.
  const growth = database
    .query<{ day: number; bytes: number }, [string]>(
      'delete from file_growth where file_id = ? returning day, bytes',
    )
    .all(file.id);
  for (const { day, bytes } of growth) {
    add.run(bucketId, day, 0, -bytes);
    add.run(bucketId, dayOf(createdAt), 0, bytes);
  }
  const grown = growth.reduce((sum, { bytes }) => sum + bytes, 0);
  database.run('insert into file_growth (file_id, day, bytes) values (?, ?, ?)', [
    file.id,
    dayOf(createdAt),
    grown,
  ]);
  database.run('update files set created_at = ? where id = ?', [createdAt, file.id]);
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
