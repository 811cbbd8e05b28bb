import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { DAY, GIB, HOUR } from '../../server/contract/limits.ts';
import { MICRO_USD } from '../../server/contract/money.ts';

const DAYS = 45;
const MIB = 1024 * 1024;

/**
 * Spreads the files of an account's buckets over the last weeks, with the growth of their storage, and adds
 * the traffic of these weeks, which nobody has caused. The sums stay those of the real files. The account is
 * as old as that, and when the server starts again it charges these days. No server may be using the database.
 */
export function addPast(dataDir: string, bucketIds: string[]): void {
  const database = new Database(join(dataDir, 'wharf.db'), { strict: true });
  try {
    database.transaction(() => {
      for (const bucketId of bucketIds) {
        spreadFiles(database, bucketId);
        addTraffic(database, bucketId);
      }
      ageAccounts(database);
    })();
  } finally {
    database.close();
  }
}

/**
 * Makes accounts as old as their files, and gives them the credit of new accounts then. Entries of the ledger
 * never change, so the server that they signed up at must have given none.
 */
function ageAccounts(database: Database): void {
  const start = Date.now() - DAYS * DAY;
  const month = new Date(start).setUTCDate(1);
  database.run('update users set created_at = ?', [start]);
  // The next start finds the first hour with any usage.
  database.run(
    'update ledger_accounts set charge_at = null, seq = seq + 1, balance = balance + ?',
    [MICRO_USD],
  );
  database
    .query(
      `insert into ledger_entries (user_id, seq, amount, balance, kind, ref, created_at)
       select user_id, seq, ?1, balance, 'credit', 'signup:' || user_id, ?2 from ledger_accounts`,
    )
    .run(MICRO_USD, start);
  database
    .query(
      `insert into ledger_months (user_id, month, kind, amount, entries)
       select user_id, ?1, 'credit', ?2, 1 from ledger_accounts`,
    )
    .run(month - (month % DAY), MICRO_USD);
}

function spreadFiles(database: Database, bucketId: string): void {
  const now = Date.now();
  const files = database
    .query<Uploaded, [string]>(
      'select id, size, stored_bytes as stored, created_at as at from files where bucket_id = ? order by created_at, id',
    )
    .all(bucketId);
  for (const [at, file] of files.entries()) {
    // The newest file stays where it is, and the others are days and some hours apart.
    const back = Math.round(((files.length - 1 - at) / files.length) * DAYS * DAY * 0.97);
    if (back > 0) moveFile(database, bucketId, file, now - back);
  }
  database.run('update buckets set created_at = ? where id = ?', [now - DAYS * DAY, bucketId]);
}

type Uploaded = { id: string; size: number; stored: number; at: number };

/** Makes a file as old as if it had been uploaded at `createdAt`. */
function moveFile(database: Database, bucketId: string, file: Uploaded, createdAt: number): void {
  const dayOf = (time: number) => time - (time % DAY);
  const add = database.query(
    `insert into usage_days (bucket_id, day, uploaded, stored, kept) values (?1, ?2, ?3, ?4, ?4)
     on conflict (bucket_id, day) do update
     set uploaded = uploaded + ?3, stored = stored + ?4, kept = kept + ?4`,
  );
  // A file that is encoded around midnight has grown on a second day.
  const growth = database
    .query<{ day: number; bytes: number }, [string]>(
      'delete from file_growth where file_id = ? returning day, bytes',
    )
    .all(file.id);
  let first = file.stored;
  for (const { day, bytes } of growth) {
    add.run(bucketId, day, 0, -bytes);
    first -= bytes;
  }
  add.run(bucketId, dayOf(file.at), -file.size, -first);
  add.run(bucketId, dayOf(createdAt), file.size, file.stored);
  const addHour = hourAdder(database, bucketId);
  addHour(file.at, { uploaded: -file.size, stored: -file.stored });
  addHour(createdAt, { uploaded: file.size, stored: file.stored });
  database.run('update files set created_at = ? where id = ?', [createdAt, file.id]);
}

const REQUESTS_PER_MIB = 25;
const HIT_RATIO = 0.93;

/** Adds what visitors could have read: less at weekends, and more as the weeks pass. */
function addTraffic(database: Database, bucketId: string): void {
  const today = Math.floor(Date.now() / DAY);
  const add = database.query(
    `insert into usage_days (bucket_id, day, bandwidth, requests, cached_requests)
     values (?1, ?2, ?3, ?4, ?5)
     on conflict (bucket_id, day) do update set bandwidth = bandwidth + ?3,
       requests = requests + ?4, cached_requests = cached_requests + ?5`,
  );
  const addHour = hourAdder(database, bucketId);
  for (let at = 1; at < DAYS; at += 1) {
    const day = (today - at) * DAY;
    const isWeekend = [0, 6].includes(new Date(day).getUTCDay());
    const wave = 1 + ((at * 29) % 17) / 17 + (DAYS - at) / DAYS;
    const bandwidth = Math.round((isWeekend ? 40 : 130) * wave * MIB);
    const requests = Math.round((bandwidth / MIB) * REQUESTS_PER_MIB);
    add.run(bucketId, day, bandwidth, requests, Math.round(requests * HIT_RATIO));
    addHour(day + DAY / 2, { bandwidth });
  }
}

type HourUse = { bandwidth?: number; uploaded?: number; stored?: number };

/** Returns a function that adds to the hours of a bucket, which is what its owner is charged for. */
function hourAdder(database: Database, bucketId: string) {
  const add = database.query(
    `insert into usage_hours (user_id, bucket_id, hour, bandwidth, uploaded, stored_change, stored_gib_ms, stored_byte_ms)
     values ((select user_id from buckets where id = ?1), ?1, ?2, ?3, ?4, ?5, ?6, ?7)
     on conflict (user_id, bucket_id, hour) do update
     set bandwidth = bandwidth + ?3, uploaded = uploaded + ?4, stored_change = stored_change + ?5,
       stored_gib_ms = stored_gib_ms + ?6, stored_byte_ms = stored_byte_ms + ?7`,
  );
  return (at: number, { bandwidth = 0, uploaded = 0, stored = 0 }: HourUse) => {
    const hour = at - (at % HOUR);
    const byteMs = stored * (hour + HOUR - at);
    const [gibMs, rest] = [Math.trunc(byteMs / GIB), byteMs % GIB];
    add.run(bucketId, hour, bandwidth, uploaded, stored, gibMs, rest);
  };
}
