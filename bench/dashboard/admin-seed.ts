import { sql } from 'kysely';
import { DAY } from '../../server/contract/limits.ts';
import type { Database } from '../../server/platform/db/port.ts';
import { firstIdAt } from '../../server/platform/ids.ts';

export type SeedSize = {
  users: number;
  buckets: number;
  files: number;
  days: number;
  logs: number;
};

/** The days in which the data was made, in epoch milliseconds, and the prefix of its ids. */
type Span = { now: number; today: number; prefix: string };
type Db = Database['db'];

/** Returns ids of one kind: a time followed by a number, as long as real ids. */
const idOf = (prefix: string) => sql`${prefix} || printf('%016d', n)`;
const numbers = (count: number) =>
  sql`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})`;

/**
 * Fills an empty SQLite database with the data of many users by SQL: every bucket contains files and was
 * used on every day. Returns the id of a bucket in the middle.
 */
export async function seedDatabase({ db }: Database, size: SeedSize): Promise<string> {
  const now = Date.now();
  const span: Span = {
    now,
    today: now - (now % DAY),
    prefix: firstIdAt(now - size.days * DAY).slice(0, 10),
  };
  await seedBuckets(db, size, span);
  await seedUsage(db, size, span);
  await seedLogs(db, size, span);
  await seedLedger(db, size, span);
  return `${span.prefix}${String(Math.floor(size.buckets / 2)).padStart(16, '0')}`;
}

async function seedBuckets(
  db: Db,
  { users, buckets, files, days }: SeedSize,
  { now, prefix }: Span,
) {
  await sql`
    ${numbers(users)} insert into users (id, email, email_key, password_hash, status, created_at)
    select ${idOf(prefix)}, 'person' || n || '@example.org', 'person' || n || '@example.org', '',
      case when n % 50 = 0 then 'banned' else 'active' end, ${now - days * DAY} + n from numbers`.execute(
    db,
  );
  await sql`
    ${numbers(buckets)} insert into buckets (id, user_id, name, name_key, webhook, status,
      unused_key_mac, key_version, total_uploads, usage, transforms, created_at)
    select ${idOf(prefix)}, ${prefix} || printf('%016d', 1 + n % ${users}), 'Bucket ' || n,
      'bucket ' || n, '', 'running', hex(randomblob(32)), 1,
      ${Math.floor(files / buckets)}, ${Math.floor(files / buckets) * 250_000}, 'open',
      ${now - days * DAY} + n from numbers`.execute(db);
  await sql`
    ${numbers(files)} insert into files (id, bucket_id, name, path, content_type, size, file_type, access,
      stored_bytes, created_at)
    select ${idOf(prefix)}, ${prefix} || printf('%016d', 1 + n % ${buckets}), 'file' || n || '.jpg',
      'file' || n || '.jpg', 'image/jpeg',
      200000, 'image', 'public', 250000, ${now - days * DAY} + n from numbers`.execute(db);
  await sql`
    ${numbers(files)} insert into media (file_id, status, playable)
    select ${idOf(prefix)}, 'success', 1 from numbers`.execute(db);
}

async function seedUsage(db: Db, { buckets, days }: SeedSize, { today, prefix }: Span) {
  await sql`
    ${numbers(buckets * days)} insert into usage_days (bucket_id, day, bandwidth, uploaded, stored, kept)
    select ${prefix} || printf('%016d', 1 + n % ${buckets}),
      ${today} - ((n - 1) / ${buckets}) * ${DAY}, 1000000 + n, 5000, 5000, 5000 from numbers`.execute(
    db,
  );
}

async function seedLogs(db: Db, size: SeedSize, { now, prefix }: Span) {
  const { days, logs } = size;
  const step = Math.floor((days * DAY) / logs);
  await db.transaction().execute(async (tx) => {
    for (let at = 0; at < logs; at += BATCH) {
      await tx
        .insertInto('audit_log')
        .values(
          Array.from({ length: Math.min(BATCH, logs - at) }, (_, n) =>
            logRow(at + n, now - (logs - at - n) * step, prefix, size),
          ),
        )
        .execute();
    }
  });
}

async function seedLedger(db: Db, { users, days }: SeedSize, { now, today, prefix }: Span) {
  await sql`
    ${numbers(users * 4)} insert into ledger_entries (user_id, seq, amount, balance, kind, ref, created_at)
    select ${prefix} || printf('%016d', 1 + (n - 1) / 4), 1 + (n - 1) % 4, 5000000,
      5000000 * (1 + (n - 1) % 4), 'payment', 'bench' || n, ${today} - (n % ${days}) * ${DAY} from numbers`.execute(
    db,
  );
  await sql`
    ${numbers(users * 60)} insert into ledger_entries (user_id, seq, amount, balance, kind, ref, created_at)
    select ${prefix} || printf('%016d', 1 + (n - 1) / 60), 5 + (n - 1) % 60, -1,
      20000000 - 1 - (n - 1) % 60, 'charge', 'hour' || n, ${today} - (n % ${days}) * ${DAY} from numbers`.execute(
    db,
  );
  await sql`
    insert into ledger_accounts (user_id, seq, balance, level)
    select user_id, max(seq), 20000000 - 60, 0 from ledger_entries where created_at < ${now}
    and user_id >= ${prefix} and user_id < ${`${prefix}z`} group by user_id
    on conflict (user_id) do nothing`.execute(db);
}

const BATCH = 500;
const SECTIONS = ['payments', 'users', 'buckets', 'buckets', 'files'] as const;

/** Returns an entry about one of the buckets. */
function logRow(n: number, at: number, prefix: string, { users, buckets }: SeedSize) {
  const message = `Bucket ${n} was banned.`;
  const digits = (value: number) => String(value).padStart(16, '0');
  return {
    id: firstIdAt(at).slice(0, 10) + digits(n),
    section: SECTIONS[n % 5] ?? ('system' as const),
    action: 'bench',
    message,
    message_key: message.toLowerCase(),
    actor: 'user' as const,
    actor_id: prefix + digits(1 + (n % users)),
    subject_id: prefix + digits(1 + (n % buckets)),
    details: '{}',
    created_at: at,
  };
}
