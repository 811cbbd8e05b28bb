import { describe, expect, test } from 'bun:test';
import { DAY, GIB, HOUR, MINUTE } from '../../../server/contract/limits.ts';
import { formatBalance } from '../../../server/contract/money.ts';
import type {
  CostsWire,
  DayChargesWire,
  StatementSummaryWire,
  StatementWire,
} from '../../../server/contract/wire.ts';
import { balanceOf, post } from '../../../server/features/billing/service.ts';
import { createBucket, requestCode, signUp } from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { sharedServerInProcess } from '../../support/server/in-process-server.ts';

const START = Date.parse('2026-03-10T00:00:00.000Z');
let now = START;
const server = await sharedServerInProcess({ SIGNUP_CREDIT: '2.5' }, { clock: () => now });

const entriesOf = (userId: string) =>
  server.db
    .selectFrom('ledger_entries')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('seq')
    .execute();
const get = (path: string, headers: Record<string, string>) =>
  fetch(`${server.url}${path}`, { headers });
const read = async <Answer>(path: string, headers: Record<string, string>) =>
  (await (await get(path, headers)).json()) as Answer;

/** Records the usage of an upload of `bytes` without sending them. */
async function use(bucketId: string, bytes: number) {
  const { database, buckets, usage } = server.services;
  const id = crypto.randomUUID();
  const bucket = await buckets.byId(bucketId);
  if (!bucket) throw new Error('There is no such bucket.');
  const upload = { fileId: id, createdAt: Date.now(), bytes };
  await database.batch(buckets.contents.uploadAdditions(bucket, upload));
  usage.counterOf(bucketId, id)(bytes);
  await usage.flush();
}

const pay = (userId: string, amount: number, ref: string) =>
  server.services.database.transaction((tx) =>
    post(tx, { userId, kind: 'payment', amount, ref, at: now }),
  );

test('a new account is given its credit, once', async () => {
  const user = await signUp(server);
  const entries = await entriesOf(user.userId);
  expect(entries.map(({ kind, amount, ref }) => [kind, amount, ref])).toEqual([
    ['credit', 2_500_000, `signup:${user.userId}`],
  ]);
});

test('accounts that are older than the ledger are given theirs at the start, once', async () => {
  const { db } = server;
  const row = { email: 'old@example.com', email_key: 'old@example.com', password_hash: '' };
  await db
    .insertInto('users')
    .values({ id: '0', ...row, status: 'active', created_at: 1 })
    .execute();
  for (let times = 0; times < 2; times += 1) await server.services.billing.start();
  expect((await entriesOf('0')).map(({ amount }) => amount)).toEqual([2_500_000]);
});

describe('the balance', () => {
  test('is dollars with up to 6 decimals', async () => {
    const user = await signUp(server);
    for (const [amount, credit, paid, text] of [
      [1, 2.500001, 0.000001, '$2.50'],
      [-2_500_000, 0.000001, 0, '$0.00'],
      [-2, -0.000001, 0, '-$0.01'],
    ] as const) {
      await pay(user.userId, amount, `r${amount}`);
      const balance = await read<{ credit: number; paid: number }>(
        '/users/balance',
        user.authorization,
      );
      expect(balance).toEqual({ credit, paid });
      expect(formatBalance(balance.credit)).toBe(text);
    }
  });

  test('and all else of billing is for its owner’s session only', async () => {
    const user = await signUp(server);
    const bucket = await createBucket(server, user.token);
    for (const path of [
      '/users/balance',
      '/billing/costs',
      '/billing/statements',
      '/billing/statements/2026-03',
      '/billing/charges/2026-03-10',
    ]) {
      for (const headers of [
        {},
        { 'x-api-key': bucket.api_key },
        { cookie: user.client.cookies() },
      ]) {
        expect([path, (await get(path, headers as Record<string, string>)).status]).toEqual([
          path,
          401,
        ]);
      }
    }
  });
});

describe('what a month costs', () => {
  test('is told by bucket and by kind, up to now, with what it will come to', async () => {
    now = Date.parse('2026-04-01T00:00:00.000Z');
    const user = await signUp(server);
    const [small, large] = [
      await createBucket(server, user.token, 'Small'),
      await createBucket(server, user.token, 'Large'),
    ];
    await use(small.id, GIB);
    await use(large.id, 144 * GIB);
    now += 10 * HOUR;
    const costs = await read<CostsWire>('/billing/costs', user.authorization);
    expect(costs).toMatchObject({ month: '2026-04', until: '2026-04-01T10:00:00.000Z' });
    const rate = 0.006 * 10;
    expect(costs.buckets).toEqual([
      {
        id: large.id,
        name: 'Large',
        deleted: false,
        storage: rate,
        bandwidth: 0.72,
        upload: 0.72,
        total: 1.5,
      },
      {
        id: small.id,
        name: 'Small',
        deleted: false,
        storage: 0.000416,
        bandwidth: 0.005,
        upload: 0.005,
        total: 0.010416,
      },
    ]);
    expect(costs.so_far).toEqual({
      storage: 0.060416,
      bandwidth: 0.725,
      upload: 0.725,
      total: 1.510416,
    });
    // The projection is for the 30 days of April: 145 GiB all the time, and 72 times what was transferred
    // in 10 hours.
    expect(costs.projection.storage).toBeCloseTo(145 * 0.03, 4);
    expect(costs.projection.bandwidth).toBeCloseTo(72 * 0.725, 4);
    expect(costs.projection.upload).toBeCloseTo(72 * 0.725, 4);
    const { credit } = await read<{ credit: number; paid: number }>(
      '/users/balance',
      user.authorization,
    );
    expect(credit).toBe(0.989584);
  });

  test('is nothing in the first hour of a new account', async () => {
    const user = await signUp(server);
    const nothing = { storage: 0, bandwidth: 0, upload: 0, total: 0 };
    const costs = await read<CostsWire>('/billing/costs', user.authorization);
    expect(costs).toMatchObject({ so_far: nothing, projection: nothing, buckets: [] });
  });
});

describe('statements', () => {
  test('hold each month’s payments and costs, and add up from one to the next', async () => {
    now = Date.parse('2026-05-30T00:00:00.000Z');
    const user = await signUp(server);
    const bucket = await createBucket(server, user.token, '=cmd|"a",1');
    await use(bucket.id, 144 * GIB);
    now += HOUR;
    await pay(user.userId, 5_000_000, 'may');
    now = Date.parse('2026-06-02T01:00:00.000Z');
    await server.services.housekeeping.round();
    const { data } = await read<{ data: StatementSummaryWire[] }>(
      '/billing/statements',
      user.authorization,
    );
    expect(data).toEqual([
      { month: '2026-06', final: false, opening: 5.772, charged: 0.15, added: 0, closing: 5.622 },
      { month: '2026-05', final: true, opening: 0, charged: 1.728, added: 7.5, closing: 5.772 },
    ]);
    const may = await read<StatementWire>('/billing/statements/2026-05', user.authorization);
    expect(may).toMatchObject(data[1] as object);
    expect(may.entries).toEqual([
      { date: '2026-05-30T00:00:00.000Z', kind: 'credit', amount: 2.5 },
      { date: '2026-05-30T01:00:00.000Z', kind: 'payment', amount: 5 },
    ]);
    expect(may.costs).toEqual({ storage: 0.288, bandwidth: 0.72, upload: 0.72, total: 1.728 });
    expect(may.buckets).toMatchObject([{ id: bucket.id, name: '=cmd|"a",1', total: 1.728 }]);
    expect(may.days).toEqual([
      {
        ...{ date: '2026-05-30', final: true },
        ...{ storage: 0.144, bandwidth: 0.72, upload: 0.72, total: 1.584 },
      },
      {
        ...{ date: '2026-05-31', final: true },
        ...{ storage: 0.144, bandwidth: 0, upload: 0, total: 0.144 },
      },
    ]);
    const june = await read<StatementWire>('/billing/statements/2026-06', user.authorization);
    expect(june.days.map(({ date, final, total }) => [date, final, total])).toEqual([
      ['2026-06-01', true, 0.144],
      ['2026-06-02', false, 0.006],
    ]);
    expect(
      (await read<{ credit: number; paid: number }>('/users/balance', user.authorization)).credit,
    ).toBe(5.622);

    const day = await read<DayChargesWire>('/billing/charges/2026-05-30', user.authorization);
    expect(day).toMatchObject({ data: [{ id: bucket.id, total: 1.584 }], nextId: null });
    const other = await signUp(server);
    const none = await read<DayChargesWire>('/billing/charges/2026-05-30', other.authorization);
    expect(none).toEqual({ data: [], nextId: null });

    const response = await get('/billing/statements/2026-05?format=csv', user.authorization);
    expect(response.headers.get('content-type')).toStartWith('text/csv');
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename="wharf-2026-05.csv"',
    );
    expect((await response.text()).split('\r\n')).toEqual([
      'Date,What,Bucket,Bucket ID,Storage,Bandwidth,Uploaded data,In USD,Out USD',
      '2026-05,Opening balance,,,,,,0.000000,',
      '2026-05-30T00:00:00.000Z,Credit,,,,,,2.500000,',
      '2026-05-30T01:00:00.000Z,Payment,,,,,,5.000000,',
      `2026-05-30,Charge,"'=cmd|""a"",1",${bucket.id},0.144000,0.720000,0.720000,,1.584000`,
      `2026-05-31,Charge,"'=cmd|""a"",1",${bucket.id},0.144000,0.000000,0.000000,,0.144000`,
      '2026-05,Closing balance,,,,,,5.772000,',
      '',
    ]);
    const current = await get('/billing/statements/2026-06?format=csv', user.authorization);
    expect((await current.text()).split('\r\n').slice(2)).toEqual([
      `2026-06-01,Charge,"'=cmd|""a"",1",${bucket.id},0.144000,0.000000,0.000000,,0.144000`,
      `2026-06-02,Charge so far,"'=cmd|""a"",1",${bucket.id},0.006000,0.000000,0.000000,,0.006000`,
      '2026-06,Closing balance,,,,,,5.622000,',
      '',
    ]);
  });

  test('of months from before daily charges have a row for each bucket', async () => {
    now = Date.parse('2026-07-10T00:00:00.000Z');
    const user = await signUp(server);
    const { database } = server.services;
    const month = Date.parse('2026-07-01');
    const key = { user_id: user.userId, bucket_id: 'gone' };
    await database.transaction(async (tx) => {
      const charges = { storage: 3, bandwidth: 2, upload: 1 };
      await tx
        .insertInto('charge_months')
        .values({ ...key, month, ...charges })
        .execute();
      const day = { ...key, day: month + 5 * DAY, storage: 1, bandwidth: 1, upload: 0 };
      await tx.insertInto('charge_days').values(day).execute();
      await post(tx, { userId: user.userId, kind: 'charge', amount: -6, ref: 'old', at: now });
    });
    const csv = await get('/billing/statements/2026-07?format=csv', user.authorization);
    expect((await csv.text()).split('\r\n').slice(3)).toEqual([
      '2026-07,Charge,,gone,0.000002,0.000001,0.000001,,0.000004',
      '2026-07-06,Charge,,gone,0.000001,0.000001,0.000000,,0.000002',
      '2026-07,Closing balance,,,,,,2.499994,',
      '',
    ]);
  });

  const refused: [string, number][] = [
    ['2026-04', 404],
    ['2026-13', 404],
    ['2026-5', 404],
    ['x', 404],
    ['2026-06?format=xml', 422],
    ['../charges/2026-6-1', 422],
    ['../charges/2026-02-31', 422],
    ['../charges/2026-02-28?cursor=%27', 422],
  ];
  for (const [path, status] of refused) {
    test(`of ${path} is refused with ${status}`, async () => {
      const user = await signUp(server);
      const response = await get(`/billing/statements/${path}`, user.authorization);
      expect(response.status).toBe(status);
      expect(await response.text()).not.toBe('');
    });
  }
});

test('deleting an account charges its buckets first, and what is left is forfeited', async () => {
  const user = await signUp(server);
  const bucket = await createBucket(server, user.token);
  await use(bucket.id, 144 * GIB);
  now += 10 * MINUTE;
  const token = await requestCode(server, user, 'delete-account');
  const response = await user.client.fetch('/users', {
    method: 'DELETE',
    headers: { ...user.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  expect(response.status).toBe(204);
  const { db } = server;
  const users = db.selectFrom('users').select('id').where('id', '=', user.userId);
  await until(async () => (await users.execute()).length === 0);
  expect((await entriesOf(user.userId)).map(({ kind, amount }) => [kind, amount])).toEqual([
    ['credit', 2_500_000],
    ['charge', -1_441_000],
    ['forfeit', -1_059_000],
  ]);
  expect(await balanceOf(db, user.userId)).toBe(0);
  now += DAY;
  await server.services.housekeeping.round();
  expect(await entriesOf(user.userId)).toHaveLength(3);
});
