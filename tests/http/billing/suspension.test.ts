import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { formatUtc } from '../../../server/contract/dates/format.ts';
import { DAY, GIB, HOUR, MIB, MINUTE } from '../../../server/contract/limits.ts';
import type { BucketWire, FileWire } from '../../../server/contract/wire.ts';
import { balanceOf, post } from '../../../server/features/billing/service.ts';
import {
  createBucket,
  createToken,
  form,
  signUp,
  type TestUser,
  uploadFile,
} from '../../support/client/api.ts';
import { locationOf } from '../../support/client/tus.ts';
import { until } from '../../support/client/wait.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import {
  type InProcessServer,
  startServerInProcess,
} from '../../support/server/in-process-server.ts';

const PAYABLE = { STRIPE_SECRET_KEY: 'sk_test', STRIPE_WEBHOOK_SECRET: 'whsec_test' };
const FREE = { access: 'public', webp: '' };
let offset = 0;
const clock = () => Date.now() + offset;
let refs = 0;

/** Posts the charge that makes the balance `amount` micro-USD, after a payment by which the account has a credit limit. */
async function setBalance(server: InProcessServer, userId: string, amount: number) {
  const { database } = server.services;
  const paid = 10_000_000;
  const charged = amount - paid - (await balanceOf(database.db, userId));
  await postAmount(server, userId, 'payment', paid);
  await postAmount(server, userId, 'charge', charged);
}

async function postAmount(
  { services }: InProcessServer,
  userId: string,
  kind: 'payment' | 'charge',
  amount: number,
) {
  refs += 1;
  const posting = { userId, kind, amount, ref: `test:${refs}`, at: clock() };
  await services.database.transaction((tx) => post(tx, posting));
}

const mailsTo = async (server: InProcessServer, address: string) => {
  // Mails that are still being written have another extension.
  const names = (await readdir(server.outbox)).filter((name) => name.endsWith('.eml')).sort();
  const mails = await Promise.all(names.map((name) => readFile(join(server.outbox, name), 'utf8')));
  return mails.filter((mail) => mail.includes(address));
};

const subjects = async (server: InProcessServer, address: string) => {
  const mails = await mailsTo(server, address);
  return mails
    .flatMap((mail) => /^subject: (.*(?:\r?\n .*)*)/im.exec(mail)?.[1] ?? [])
    .map((subject) => subject.replace(/\r?\n /g, ' '))
    .filter((subject) => !subject.includes('code'));
};

describe('an account below zero', () => {
  let server: InProcessServer;
  let user: TestUser;
  let bucket: { id: string; api_key: string };
  let file: FileWire;
  let tusUpload: string;
  let writeToken: string;
  afterAll(() => server.stop());
  beforeAll(async () => {
    server = await startServerInProcess(PAYABLE, { clock });
    user = await signUp(server);
    bucket = await createBucket(server, user.token);
    file = await uploadFile(server, bucket, 'image', FREE, await photo(), 'a.jpg');
    writeToken = await createToken(server, bucket, { scope: 'write' });
    tusUpload = locationOf(await beginTus());
    expect(tusUpload).not.toBe('');
    await setBalance(server, user.userId, -1);
    await server.services.housekeeping.round();
  });

  const key = () => ({ 'x-api-key': bucket.api_key });
  const send = (path: string, headers: Record<string, string>, init: RequestInit = {}) =>
    fetch(`${server.url}${path}`, { method: 'POST', ...init, headers });
  const beginTus = () =>
    send(`/files/tus/${bucket.id}`, { ...key(), 'tus-resumable': '1.0.0', 'upload-length': '100' });
  const image = async (headers: Record<string, string>) =>
    send(`/files/upload/image/${bucket.id}`, headers, {
      body: form(FREE, new Blob([(await photo()) as never]), 'b.jpg'),
    });
  const video = (headers: Record<string, string>) =>
    send(`/files/upload/video/${bucket.id}`, headers, {
      body: form(
        { access: 'public', client_id: 'c', chunk_number: '0', total_chunks: '1' },
        new Blob(['x']),
      ),
    });
  const status = async () => {
    const response = await fetch(`${server.url}/buckets/${bucket.id}`, {
      headers: user.authorization,
    });
    return ((await response.json()) as BucketWire).status;
  };
  const get = (headers: Record<string, string> = {}, method = 'GET', query = '') =>
    fetch(`${file.url}${query}`, { method, headers });

  test('is refused everything that would cost more, with 402 and why', async () => {
    expect(await status()).toBe('suspended');
    const patch = { 'tus-resumable': '1.0.0', 'upload-offset': '0' };
    const refused: Record<string, () => Promise<Response>> = {
      'an image by key': () => image(key()),
      'an image by session': () => image(user.authorization),
      'an image by write token': () => image({ authorization: `Bearer ${writeToken}` }),
      'a chunk of a video by key': () => video(key()),
      'a chunk of a video by session': () => video(user.authorization),
      'a chunk of a video by write token': () => video({ authorization: `Bearer ${writeToken}` }),
      'a tus upload': beginTus,
      'more of a tus upload': () =>
        fetch(tusUpload, {
          method: 'PATCH',
          headers: { ...key(), ...patch, 'content-type': 'application/offset+octet-stream' },
          body: 'x',
        }),
      'a video to be measured': () =>
        send(`/files/resolution/video/${bucket.id}`, key(), { body: form({}, new Blob(['x'])) }),
      'a bucket': () => user.client.post('/buckets', { name: 'More' }, user.authorization),
    };
    for (const [what, request] of Object.entries(refused)) {
      const response = await request();
      const code = response.headers.get('x-error-code');
      expect([what, response.status, code]).toEqual([what, 402, 'payment-required']);
      expect(await response.text()).toInclude('below zero');
    }
    const { data } = (await (
      await fetch(`${server.url}/files/${bucket.id}`, { headers: key() })
    ).json()) as { data: FileWire[] };
    expect(data.map(({ id }) => id)).toEqual([file.id]);
  });

  test('may still look, stop uploads, roll keys and mint tokens', async () => {
    const headers = { ...key(), 'tus-resumable': '1.0.0' };
    expect((await fetch(tusUpload, { method: 'HEAD', headers })).status).toBe(200);
    expect((await fetch(tusUpload, { method: 'DELETE', headers })).status).toBe(204);
    expect((await send(`/buckets/jwt/${bucket.id}/0/read`, key())).status).toBe(200);
  });

  test('is told by one mail, which says until when its files are delivered', async () => {
    await until(async () => (await subjects(server, user.email)).length > 0);
    await server.services.housekeeping.round();
    expect(await subjects(server, user.email)).toEqual([
      'Your Wharf balance is used up: uploads have stopped',
    ]);
    const [{ below_since }] = (await server.db
      .selectFrom('ledger_accounts')
      .select('below_since')
      .where('user_id', '=', user.userId)
      .execute()) as [{ below_since: number }];
    const end = formatUtc(below_since + 72 * HOUR);
    const mail = (await mailsTo(server, user.email)).at(-1) ?? '';
    expect(mail.replaceAll(/=?\r?\n/g, '')).toContain(`delivered until ${end}`);
  });

  test('is delivered for 72 hours, and then answers 402 that no cache keeps', async () => {
    expect((await get()).status).toBe(200);
    offset += 72 * HOUR - MINUTE;
    expect((await get()).status).toBe(200);
    expect((await get({}, 'GET', '?width=32')).status).toBe(200);
    offset += 2 * MINUTE;
    for (const query of ['', '?width=32', '?download']) {
      const response = await get({}, 'GET', query);
      expect([response.status, response.headers.get('cache-control')]).toEqual([402, 'no-store']);
      expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(await response.text()).toInclude('not available');
    }
    expect((await get({}, 'HEAD')).status).toBe(402);
    expect((await get({ 'if-none-match': '*' })).status).toBe(402);
  });

  const requests: [string, Record<string, string>, boolean][] = [
    ['an img element', { 'sec-fetch-dest': 'image', accept: '*/*' }, true],
    ['a client that takes images', { accept: 'image/avif,image/*' }, true],
    ['a navigation', { 'sec-fetch-dest': 'document', accept: 'text/html,image/webp' }, false],
    ['an older browser', { accept: 'text/html,image/webp,*/*' }, false],
    ['a player', { 'sec-fetch-dest': 'video', accept: 'image/*' }, false],
    ['curl', { accept: '*/*' }, false],
  ];
  for (const [who, headers, isPicture] of requests) {
    test(`then shows ${who} ${isPicture ? 'a picture' : 'a text'} instead`, async () => {
      const response = await get(headers);
      expect(response.status).toBe(402);
      expect(response.headers.get('content-type')).toBe(
        isPicture ? 'image/svg+xml' : 'text/plain; charset=utf-8',
      );
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect((await response.text()).startsWith('<svg')).toBe(isPicture);
    });
  }

  test('runs again at once when a payment is posted and told of', async () => {
    await setBalance(server, user.userId, 5_000_000);
    await server.services.billing.review(user.userId);
    expect(await status()).toBe('running');
    expect((await get()).status).toBe(200);
    expect((await image(key())).status).toBe(201);
    expect((await user.client.post('/buckets', { name: 'M' }, user.authorization)).status).toBe(
      201,
    );
  });

  test('is found by the next round of the housekeeping where nobody told of it', async () => {
    await setBalance(server, user.userId, -5);
    await server.services.housekeeping.round();
    expect(await status()).toBe('suspended');
    expect((await get()).status).toBe(200);
    await setBalance(server, user.userId, 5);
    await server.services.housekeeping.round();
    expect(await status()).toBe('running');
  });

  test('keeps its files for 30 days, is told 7 days and 1 day before, and then they are deleted and charged for', async () => {
    const { services } = server;
    await setBalance(server, user.userId, -50);
    await services.housekeeping.round();
    const latestSubject = async () => (await subjects(server, user.email)).slice(-1)[0] ?? '';
    const isIdle = async () => {
      const jobs = services.database.db.selectFrom('jobs').select('id');
      return !(await jobs.where('state', '=', 'running').executeTakeFirst());
    };
    for (const [days, expected] of [
      [22.9, 'stopped'],
      [0.2, 'will be deleted'],
      [5.8, 'will be deleted'],
      [0.3, 'will be deleted'],
      [0.8, 'will be deleted'],
    ] as const) {
      // When the clock jumps while a mail is being sent, its lease ends and the mail is sent again.
      await until(isIdle);
      offset += days * DAY;
      await services.housekeeping.round();
      await until(async () => (await latestSubject()).includes(expected));
      expect(await services.buckets.byId(bucket.id)).toMatchObject({ status: 'suspended' });
    }
    const warnings = async () =>
      (await subjects(server, user.email)).filter((one) => one.includes('will be')).length;
    await until(async () => (await warnings()) === 2);
    await until(isIdle);
    offset += 0.3 * DAY;
    await services.housekeeping.round();
    await until(async () => (await services.buckets.byId(bucket.id)) === undefined);
    await until(async () => (await latestSubject()).includes('have been deleted'));
    expect(await warnings()).toBe(2);
    const [billed] = await services.database.db
      .selectFrom('billed_buckets')
      .select('name')
      .where('bucket_id', '=', bucket.id)
      .execute();
    expect(billed?.name).toBe('Pictures');
    const costs = await services.billing.statements(user.userId);
    expect(costs.reduce((sum, one) => sum + one.charged, 0)).toBeGreaterThan(0);
  });
});

describe('an account with a cent', () => {
  let server: InProcessServer;
  let user: TestUser;
  let bucket: { id: string };
  let now = Date.parse('2026-03-10T00:30:00.000Z');
  afterAll(() => server.stop());
  beforeAll(async () => {
    server = await startServerInProcess(PAYABLE, { clock: () => now });
  });
  beforeEach(async () => {
    user = await signUp(server);
    bucket = await createBucket(server, user.token);
  });

  const statusOf = async () => (await server.services.buckets.byId(bucket.id))?.status;
  const store = async (bytes: number) => {
    const { database, buckets } = server.services;
    const upload = { fileId: crypto.randomUUID(), createdAt: now, bytes };
    const target = { id: bucket.id, user_id: user.userId };
    await database.batch(buckets.contents.uploadAdditions(target, upload));
  };
  const send = async (bytes: number) => {
    const { usage, billing } = server.services;
    usage.counterOf(bucket.id, 'f')(bytes);
    await usage.flush();
    await billing.watch();
  };

  test('is suspended minutes after it has sent more than that pays for', async () => {
    await setBalance(server, user.userId, 10_000);
    await send(GIB);
    expect(await statusOf()).toBe('running');
    await send(GIB);
    expect(await statusOf()).toBe('running');
    now += MINUTE;
    await send(MIB);
    expect(await statusOf()).toBe('suspended');
    await until(async () => (await subjects(server, user.email)).length > 0);
  });

  test('is suspended when storage alone has used it up, with nobody looking in between', async () => {
    await store(144 * GIB);
    await setBalance(server, user.userId, 720_000 + 10_000);
    // What is stored costs 6,000 an hour.
    await server.services.billing.watch();
    now += HOUR;
    await server.services.billing.round();
    expect(await statusOf()).toBe('running');
    now += 39 * MINUTE;
    await server.services.billing.round();
    expect(await statusOf()).toBe('running');
    now += 3 * MINUTE;
    await server.services.billing.round();
    expect(await statusOf()).toBe('suspended');
  });

  test('is found by the hourly sweep where the process that counted its use was killed', async () => {
    await setBalance(server, user.userId, 10_000);
    await store(3 * GIB);
    server.services.usage.takeActiveAccounts();
    await server.services.billing.watch();
    expect(await statusOf()).toBe('running');
    await server.services.billing.sweep();
    expect(await statusOf()).toBe('suspended');
  });

  test('that is topped up goes on, also where its ledger was never below zero', async () => {
    await setBalance(server, user.userId, 10_000);
    await send(3 * GIB);
    expect(await statusOf()).toBe('suspended');
    const before = await server.services.billing.balance(user.userId);
    expect(before).toBe(-5_000);
    await setBalance(server, user.userId, 5_000_000);
    await server.services.billing.round();
    expect(await statusOf()).toBe('running');
  });
});

test('without a way to pay nothing is suspended; with one from the next start on it is, and the other way round', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'wharf-suspension-'));
  const first = await startServerInProcess({}, { dataDir });
  const user = await signUp(first);
  const bucket = await createBucket(first, user.token);
  await setBalance(first, user.userId, -5_000_000);
  await first.services.housekeeping.round();
  const statusOn = async (server: InProcessServer) =>
    (await server.services.buckets.byId(bucket.id))?.status;
  expect(await statusOn(first)).toBe('running');
  await first.stop();
  const since: number[] = [];
  for (const [env, expected] of [
    [PAYABLE, 'suspended'],
    [{}, 'running'],
    // The debt is not forgiven by a start without payments.
    [PAYABLE, 'suspended'],
  ] as const) {
    const server = await startServerInProcess(env, { dataDir });
    await server.services.housekeeping.round();
    expect(await statusOn(server)).toBe(expected);
    const { db } = server.services.database;
    const accounts = () => db.updateTable('ledger_accounts').where('user_id', '=', user.userId);
    const { below_since } = await accounts()
      .set({ seq: sql`seq` })
      .returning('below_since')
      .executeTakeFirstOrThrow();
    since.push(below_since ?? 0);
    const tenDaysAgo = Date.now() - 10 * DAY;
    if (since.length === 1) await accounts().set({ below_since: tenDaysAgo }).execute();
    await server.stop();
  }
  expect(since[2]).toBeLessThan(Date.now() - 9 * DAY);
  await rm(dataDir, { recursive: true });
});

test('an account and its buckets follow the balance, whatever an earlier version has written meanwhile', async () => {
  const server = await startServerInProcess(PAYABLE);
  const user = await signUp(server);
  const bucket = await createBucket(server, user.token);
  const { buckets, database, housekeeping } = server.services;
  const account = (columns: { below_since: number | null }) =>
    database.db
      .updateTable('ledger_accounts')
      .set(columns)
      .where('user_id', '=', user.userId)
      .execute();
  const statusAfterRound = async () => {
    await housekeeping.round();
    return (await buckets.byId(bucket.id))?.status;
  };
  await setBalance(server, user.userId, -1);
  await database.db.updateTable('ledger_accounts').set({ level: 3 }).execute();
  await account({ below_since: clock() });
  expect(await statusAfterRound()).toBe('suspended');
  await setBalance(server, user.userId, 5_000_000);
  await database.db.updateTable('ledger_accounts').set({ level: 0, review_at: null }).execute();
  await account({ below_since: null });
  expect(await statusAfterRound()).toBe('running');
  await server.stop();
});

test('delivery stops at zero where nothing was ever paid, else at the credit limit', async () => {
  const server = await startServerInProcess({ ...PAYABLE, SIGNUP_CREDIT: '1', CREDIT_LIMIT: '2' });
  const user = await signUp(server);
  const bucket = await createBucket(server, user.token);
  const { url } = await uploadFile(server, bucket, 'image', FREE, await photo(), 'a.jpg');
  const statusAt = async (amount: number, kind: 'payment' | 'charge' = 'charge') => {
    const { database } = server.services;
    const change = Math.round(amount * 1e6) - (await balanceOf(database.db, user.userId));
    await postAmount(server, user.userId, kind, change);
    await server.services.housekeeping.round();
    return (await fetch(String(url))).status;
  };
  expect(await statusAt(0)).toBe(200);
  expect(await statusAt(-0.000001)).toBe(402);
  expect(await statusAt(5, 'payment')).toBe(200);
  expect(await statusAt(-2)).toBe(200);
  expect(await statusAt(-2.000001)).toBe(402);
  expect(await statusAt(-1, 'payment')).toBe(200);
  expect(await subjects(server, user.email)).toContain('Your Wharf files are no longer delivered');
  await server.stop();
});
