import { expect, test } from 'bun:test';
import { seeded } from '../../../media/testing/mutations.ts';
import type { BucketDetailWire, FileWire } from '../../../server/contract/wire.ts';
import { lockPath } from '../../../server/features/files/paths/insertion-store.ts';
import { createBucket, form, signUp } from '../../support/client/api.ts';
import { createS3Key } from '../../support/client/s3.ts';
import { signedFetch } from '../../support/client/signed-fetch.ts';
import { until } from '../../support/client/wait.ts';
import { rounds } from '../../support/fixtures/torture.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';
import { allowTransactionAwaits } from '../../support/server/transaction-awaits.ts';

/*
 * Many writers of few paths, all at the same time: of each path exactly one is there, whole, and all that is counted is
 * right.
 */

const WRITERS = rounds(10_000, 120);
const PATHS = rounds(100, 10);
const BYTES = 3000;
/** More than there are connections to the database. */
const WAITING = 20;
const random = seeded(100);

const { server, user } = await sharedBucketInProcess({ S3_PORT: '0' });
const s3 = signedFetch(server, await createS3Key(user));

type Place = { bucket: BucketDetailWire; path: string; body: string };
type Outcome = { path: string; body: string; status: number; id: string | undefined };

const contentOf = (writer: number) => `${writer};`.padEnd(BYTES, `${writer}`);

/** Repeats a request that a busy server refuses for now, of which nothing may stay. */
async function untilServed(send: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await send();
    if (response.status !== 503) return response;
    await response.arrayBuffer();
  }
}

/** Has all write at the same time, in a random order, and returns the outcomes by their paths. */
async function writeAll(
  bucket: BucketDetailWire,
  write: (place: Place) => Promise<Response>,
): Promise<Map<string, Outcome[]>> {
  const writers = Array.from({ length: WRITERS }, (_, n) => ({ n, order: random() }));
  writers.sort((one, other) => one.order - other.order);
  const outcomes = await Promise.all(
    writers.map(async ({ n }) => {
      const [path, body] = [`folder/${n % PATHS}.txt`, contentOf(n)];
      const response = await untilServed(() => write({ bucket, path, body }));
      const text = await response.text();
      const id = response.status === 201 ? (JSON.parse(text) as FileWire).id : undefined;
      return { path, body, status: response.status, id };
    }),
  );
  return Map.groupBy(outcomes, ({ path }) => path);
}

const upload = (
  { bucket, path, body }: Place,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
) =>
  fetch(`${server.url}/files/upload/file/${bucket.id}`, {
    method: 'POST',
    headers: { 'x-api-key': bucket.api_key, ...headers },
    body: form({ path, access: 'public', ...fields }, new Blob([body]), 'a.txt'),
  });
const put = ({ bucket, path, body }: Place, headers: Record<string, string>) =>
  s3('PUT', `/${bucket.id}/${path}`, { body, headers });

const createOne = async (keep_versions: number) => {
  const bucket = await createBucket(server, user.token, `Writers ${crypto.randomUUID()}`);
  const response = await fetch(`${server.url}/buckets/retention/${bucket.id}`, {
    method: 'PUT',
    headers: { ...user.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ keep_deleted_days: 0, keep_versions }),
  });
  expect(response.status).toBe(200);
  return bucket;
};
const rowsOf = (bucket: BucketDetailWire) =>
  server.db
    .selectFrom('files')
    .select(['id', 'path', 'size', 'superseded_at', 'removal'])
    .where('bucket_id', '=', bucket.id)
    .execute();
const read = async (bucket: BucketDetailWire, path: string) => {
  const response = await s3('GET', `/${bucket.id}/${path}`);
  expect(response.status).toBe(200);
  return response.text();
};

/** Throws where more is counted or stored than so many files, of which the last one of each path is current. */
async function expectCounted(bucket: BucketDetailWire, files: number): Promise<void> {
  const response = await fetch(`${server.url}/buckets/${bucket.id}`, {
    headers: user.authorization,
  });
  const { usage, total_uploads } = (await response.json()) as BucketDetailWire;
  expect({ usage, total_uploads }).toEqual({ usage: files * BYTES, total_uploads: PATHS });
  const { objects, housekeeping } = server.services;
  const countObjects = async () => (await Array.fromAsync(objects.list(`o/${bucket.id}/`))).length;
  // A round deletes only so many objects of the writers that have lost.
  await until(async () => {
    await housekeeping.round();
    return (await countObjects()) <= files;
  });
  expect(await countObjects()).toBe(files);
  expect(await findingsOf(server.config)).toEqual([]);
}

test.each([
  ['that refuse a taken path', 201, 409, (place: Place) => upload(place, { on_conflict: 'error' })],
  ['that expect nothing', 201, 412, (place: Place) => upload(place, {}, { 'if-none-match': '*' })],
  ['of S3 that expect nothing', 200, 412, (place: Place) => put(place, { 'if-none-match': '*' })],
] as const)('of writers %s exactly one gets each path', async (_, won, lost, write) => {
  const bucket = await createOne(0);
  const outcomes = await writeAll(bucket, write);
  expect(outcomes.size).toBe(PATHS);
  for (const [path, ofPath] of outcomes) {
    const winners = ofPath.filter(({ status }) => status === won);
    expect(winners).toHaveLength(1);
    expect(new Set(ofPath.map(({ status }) => status))).toEqual(new Set([won, lost]));
    expect(await read(bucket, path)).toBe(winners[0]?.body ?? '');
  }
  expect((await rowsOf(bucket)).map(({ path }) => path).sort()).toEqual(
    [...outcomes.keys()].sort(),
  );
  await expectCounted(bucket, PATHS);
});

test('of writers that replace each other one stays at each path, and nothing is kept of the others', async () => {
  const bucket = await createOne(0);
  const outcomes = await writeAll(bucket, (place) => put(place, {}));
  for (const [path, ofPath] of outcomes) {
    expect(new Set(ofPath.map(({ status }) => status))).toEqual(new Set([200]));
    expect(ofPath.map(({ body }) => body)).toContain(await read(bucket, path));
  }
  expect(await rowsOf(bucket)).toHaveLength(PATHS);
  await expectCounted(bucket, PATHS);
});

test('of writers that replace each other every one is kept as a version, and only the last is current', async () => {
  const bucket = await createOne(100);
  const outcomes = await writeAll(bucket, (place) => upload(place, { on_conflict: 'replace' }));
  const rows = Map.groupBy(await rowsOf(bucket), ({ path }) => path);
  for (const [path, ofPath] of outcomes) {
    expect(new Set(ofPath.map(({ status }) => status))).toEqual(new Set([201]));
    const there = rows.get(path) ?? [];
    expect(there.map(({ id }) => id).sort()).toEqual(ofPath.map(({ id }) => id ?? '').sort());
    const [current, ...others] = there.filter((row) => row.superseded_at === null);
    expect(others).toEqual([]);
    const winner = ofPath.find(({ id }) => id === current?.id);
    expect(await read(bucket, path)).toBe(winner?.body ?? '');
  }
  await expectCounted(bucket, WRITERS);
});

test('writers that wait for their bucket leave the database to everybody else', async () => {
  const { services, db } = server;
  const stranger = await signUp(server);
  const theirs = signedFetch(server, await createS3Key(stranger));
  const [bucket, other] = [await createOne(0), await createBucket(server, stranger.token)];
  const arrived = async () => {
    const prefix = `o/${bucket.id}/`;
    const waiting = await db
      .selectFrom('pending_deletes')
      .select('prefix')
      .where('prefix', '>=', prefix)
      .where('prefix', '<', `${prefix.slice(0, -1)}0`)
      .execute();
    return waiting.length === WAITING;
  };
  // SQLite would let nobody write meanwhile.
  const isHeld = services.database.engine === 'postgres';
  const { promise: isOver, resolve: release } = Promise.withResolvers<void>();
  const holding = allowTransactionAwaits(() =>
    services.database.transaction(async (tx) => {
      await services.buckets.contents.lock(tx, bucket.id);
      if (isHeld) await isOver;
    }),
  );
  const places = Array.from({ length: WAITING }, (_, n) => ({ path: `${n}.txt`, body: 'new' }));
  const writing = places.map((place) => put({ ...place, bucket }, {}));
  try {
    if (isHeld) await until(arrived);
    expect((await theirs('PUT', `/${other.id}/a.txt`, { body: 'other' })).status).toBe(200);
  } finally {
    release();
    await holding;
  }
  expect(new Set((await Promise.all(writing)).map(({ status }) => status))).toEqual(new Set([200]));
});

test('a writer that replaces a file waits for another one of its path, and not of another path', async () => {
  const { services } = server;
  const bucket = await createOne(0);
  for (const path of ['one.txt', 'other.txt']) {
    expect((await put({ bucket, path, body: 'old' }, {})).status).toBe(200);
  }
  // SQLite would let nobody write meanwhile.
  const isHeld = services.database.engine === 'postgres';
  const { promise: isOver, resolve: release } = Promise.withResolvers<void>();
  const { promise: isLocked, resolve: locked } = Promise.withResolvers<void>();
  const holding = allowTransactionAwaits(() =>
    services.database.transaction(async (tx) => {
      await services.buckets.contents.hold(tx, bucket.id);
      await lockPath(tx, { bucket_id: bucket.id, path: 'one.txt' });
      locked();
      if (isHeld) await isOver;
    }),
  );
  await isLocked;
  const order: string[] = [];
  const waiting = put({ bucket, path: 'one.txt', body: 'new' }, {}).then(({ status }) =>
    order.push(`one ${status}`),
  );
  try {
    const { status } = await put({ bucket, path: 'other.txt', body: 'new' }, {});
    order.push(`other ${status}`);
  } finally {
    release();
    await holding;
  }
  await waiting;
  if (isHeld) expect(order).toEqual(['other 200', 'one 200']);
  expect([await read(bucket, 'one.txt'), await read(bucket, 'other.txt')]).toEqual(['new', 'new']);
});
