import { DAY, HOUR } from '../../server/contract/limits.ts';
import { newId } from '../../server/platform/ids.ts';
import type { Row, ScaleDatabase } from './scale-database.ts';
import type { ScaleSize } from './size.ts';

export const OWNER = { email: 'owner@example.org', password: 'a long enough password' };
const FILE_BYTES = 10_000;
const CREDIT = 1_000_000_000;
/** Everything was made within this time, so that ids are as far apart as those of a year. */
const SPAN_MS = 360 * DAY;

export type Seeded = {
  /** The id of the bucket with most files, which the owner owns. */
  bucketId: string;
  /** The key of the object of the newest file, without which a server is not healthy. */
  newestKey: string;
};

/**
 * Fills a database that has only the first migrations, `SEEDED_MIGRATIONS`, so that the migrations of each
 * program that is measured bring the same rows to its own schema. Nothing is due.
 */
export async function seedScale(
  database: ScaleDatabase,
  size: ScaleSize,
  now: number,
): Promise<Seeded> {
  const accounts = timesOf(size.accounts, now).map((at) => ({ at, id: newId(at) }));
  const [owner] = accounts;
  if (!owner) throw new Error('There is no account.');
  const passwordHash = await Bun.password.hash(OWNER.password, {
    algorithm: 'argon2id',
    memoryCost: 19_456,
    timeCost: 2,
  });
  const buckets = accounts.map((user, n) => ({ id: newId(user.at + 1), user, n, at: user.at + 1 }));
  const [big] = buckets;
  if (!big) throw new Error('There is no bucket.');
  const newest = newId(now - 1);

  await database.insert('users', accounts.values().map(userRow(passwordHash)));
  await database.insert('ledger_entries', accounts.values().map(entryRow));
  await database.insert('ledger_accounts', accounts.values().map(accountRow));
  await database.insert(
    'buckets',
    buckets.values().map((bucket) => bucketRow(bucket, size)),
  );
  await database.insert('bucket_meters', buckets.values().map(meterRow(now)));
  await database.insert('files', fileRows(buckets, size, now, newest));
  await database.insert('usage_days', dayRows(buckets.slice(0, size.activeBuckets), now));
  await database.insert('audit_log', auditRows(buckets, size, now));
  await database.insert('jobs', jobRows(size, now));
  const hour = now - (now % HOUR);
  await database.run(`update charging set charged_until = ${hour}, lease_until = 0`);
  return { bucketId: big.id, newestKey: `f/${big.id}/${newest}/file.jpg` };
}

type Account = { id: string; at: number };
type Bucket = Account & { user: Account; n: number };

/** Returns `count` moments in the span before `now`, in order. */
function timesOf(count: number, now: number): number[] {
  const start = now - SPAN_MS;
  return Array.from(
    { length: count },
    (_, n) => start + Math.floor((n / count) * (SPAN_MS - HOUR)),
  );
}

const userRow = (passwordHash: string) => (account: Account, n: number) => {
  const email = n === 0 ? OWNER.email : `person${n}@example.org`;
  return {
    id: account.id,
    email,
    email_key: email,
    password_hash: passwordHash,
    created_at: account.at,
  };
};

const entryRow = ({ id, at }: Account) => ({
  user_id: id,
  seq: 1,
  amount: CREDIT,
  balance: CREDIT,
  kind: 'grant',
  ref: `grant:${id}`,
  created_at: at,
});

const accountRow = ({ id }: Account) => ({ user_id: id, seq: 1, balance: CREDIT, level: 0 });

const bucketRow = ({ id, user, n, at }: Bucket, { files }: ScaleSize) => {
  const count = n === 0 ? files : 1;
  return {
    id,
    user_id: user.id,
    name: `Bucket ${n}`,
    name_key: `bucket ${n}`,
    status: 'running',
    api_key_sealed: `sealed ${id}`,
    api_key_mac: `mac ${id}`,
    total_uploads: count,
    usage: count * FILE_BYTES,
    created_at: at,
  };
};

const meterRow =
  (now: number) =>
  ({ id }: Bucket) => ({ bucket_id: id, metered_at: now });

/** The big bucket's files are spread over the span, and end with the newest file of all. */
function* fileRows(buckets: Bucket[], { files }: ScaleSize, now: number, newest: string) {
  for (const bucket of buckets.slice(1))
    yield fileRow(newId(bucket.at + 2), bucket.id, bucket.at + 2, 1);
  const big = buckets[0]?.id ?? '';
  for (const [n, at] of timesOf(files - 1, now).entries()) yield fileRow(newId(at), big, at, n);
  yield fileRow(newest, big, now - 1, 1);
}

/** One file of a hundred is a video, and one of fifty is private. */
const fileRow = (id: string, bucketId: string, at: number, n: number): Row => ({
  id,
  bucket_id: bucketId,
  name: `image-${n}.jpg`,
  size: FILE_BYTES,
  file_type: n % 100 === 99 ? 'video' : 'image',
  access: n % 50 === 49 ? 'private' : 'public',
  status: 'success',
  prefix: `f/${bucketId}/${id}/`,
  entry: 'file.jpg',
  width: 100,
  height: 100,
  playable: 1,
  stored_bytes: FILE_BYTES,
  created_at: at,
});

const DAYS = 30;

function* dayRows(buckets: Bucket[], now: number) {
  const today = now - (now % DAY);
  for (const { id } of buckets) {
    for (let ago = DAYS; ago > 0; ago -= 1) {
      yield { bucket_id: id, day: today - ago * DAY, bandwidth: 1_000_000, uploaded: 0, stored: 0 };
    }
  }
}

const SECTIONS = ['payments', 'users', 'buckets', 'buckets', 'files'];

function* auditRows(buckets: Bucket[], { auditEntries }: ScaleSize, now: number) {
  for (const [n, at] of timesOf(auditEntries, now).entries()) {
    const bucket = buckets[n % buckets.length];
    const message = `Bucket "Bucket ${bucket?.n}" renamed.`;
    yield {
      id: newId(at),
      section: SECTIONS[n % SECTIONS.length] ?? 'system',
      action: 'bench',
      message,
      message_key: message.toLowerCase(),
      actor: 'user',
      actor_id: bucket?.user.id ?? null,
      subject_id: bucket?.id ?? null,
      details: '{}',
      created_at: at,
    };
  }
}

/** The jobs ended within the last hours, long before they are forgotten. */
function* jobRows({ finishedJobs }: ScaleSize, now: number) {
  for (let n = 0; n < finishedJobs; n += 1) {
    const at = now - HOUR + Math.floor((n / finishedJobs) * (HOUR / 2));
    yield {
      id: newId(at),
      kind: 'image',
      subject: newId(at),
      payload: '',
      state: 'done',
      attempts: 1,
      run_at: at,
      created_at: at,
      finished_at: at + 1,
    };
  }
}
