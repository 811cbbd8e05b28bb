import { expect, test } from 'bun:test';
import { MINUTE } from '../../../server/contract/limits.ts';
import { createBucket, PASSWORD, signUp } from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { runCommand } from '../../support/server/command.ts';
import { sharedServer } from '../../support/server/server.ts';
import { engineSettings } from '../../support/server/test-engine.ts';

const server = await sharedServer();
const user = await signUp(server);

const admin = async (args: string[], input = '') =>
  runCommand(
    ['admin', ...args],
    { DATA_DIR: server.dataDir, ...(await engineSettings(server.dataDir)) },
    { input },
  );
const balance = async () =>
  (await (await user.client.fetch('/users/balance', { headers: user.authorization })).json())
    .credit;
const login = (password: string) =>
  user.client.post(`/users/send/email/no/auth/${encodeURIComponent(user.email)}/login`, {
    password,
  });

test('wharf admin credit changes the balance beside a running server, up and down, as an entry of the ledger', async () => {
  const before = await balance();
  expect(await admin(['credit', user.email.toUpperCase(), '25.5'])).toMatchObject({ status: 0 });
  expect(await balance()).toBe(before + 25.5);
  expect(await admin(['credit', user.email, '-0.000001'])).toMatchObject({ status: 0 });
  expect(await balance()).toBe(before + 25.499999);
  const entries = await server.db
    .selectFrom('ledger_entries')
    .select(['kind', 'amount'])
    .where('user_id', '=', user.userId)
    .where('kind', '=', 'grant')
    .orderBy('seq')
    .execute();
  expect(entries.map(({ amount }) => amount)).toEqual([25_500_000, -1]);
});

test('wharf admin credit with an id is granted once, and never as something else', async () => {
  const before = await balance();
  for (const args of [
    ['--id', 'order-17', user.email, '5'],
    [user.email, '5', '--id', 'order-17'],
  ]) {
    expect(await admin(['credit', ...args])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/ is now \$/),
    });
    expect(await balance()).toBe(before + 5);
  }
  expect(await admin(['credit', user.email, '-5', '--id', 'order-17'])).toEqual({
    status: 1,
    stdout: '',
    stderr: 'A different grant was already made with this id.\n',
  });
  expect(await balance()).toBe(before + 5);
});

test('wharf admin confirm-clock stores the time, and is in the audit log', async () => {
  const { status, stdout } = await admin(['confirm-clock']);
  expect([status, stdout]).toEqual([
    0,
    expect.stringMatching(/^It is \d{4}-.{11} UTC\. /) as never,
  ]);
  const time = await server.db.selectFrom('trusted_time').selectAll().executeTakeFirstOrThrow();
  expect(Math.abs(time.trusted_at - Date.now())).toBeLessThan(MINUTE);
  const log = server.db.selectFrom('audit_log').selectAll().where('action', '=', 'clock.confirmed');
  expect(await log.execute()).toHaveLength(1);
});

const USAGE =
  'Usage: admin credit ADDRESS USD [--id ID], or admin ban, unban or reset-password ADDRESS, or admin confirm-clock\n';

test.each([
  [['credit', 'nobody@example.com', '5'], 'No account found for nobody@example.com.\n'],
  [['credit', 'USER', '0'], "'0' is not an amount in USD. Use a number such as 25 or -3.5.\n"],
  [['credit', 'USER', '1e9'], "'1e9' is not an amount in USD. Use a number such as 25 or -3.5.\n"],
  [['credit', 'USER'], USAGE],
  [
    ['credit', 'USER', '5', '--id'],
    '--id takes up to 64 letters, digits and _ . : - such as order-17.\n',
  ],
  [['confirm-clock', 'now'], USAGE],
  [['reset-password', 'nobody@example.com'], 'No account found for nobody@example.com.\n'],
  [['fly'], USAGE],
])('wharf admin %p is refused and changes nothing', async (args, stderr) => {
  const before = await balance();
  const named = args.map((one) => (one === 'USER' ? user.email : one));
  expect(await admin(named)).toEqual({ status: 1, stdout: '', stderr });
  expect(await balance()).toBe(before);
});

test('wharf admin reset-password sets what it is given, or prints what it made, and ends all sessions', async () => {
  const short = await admin(['reset-password', user.email, '--stdin'], 'short\n');
  expect([short.status, short.stderr]).toEqual([
    1,
    'The password must have 8 to 200 characters.\n',
  ]);
  expect((await user.client.fetch('/users/profile', { headers: user.authorization })).status).toBe(
    200,
  );

  const result = await admin(['reset-password', user.email, '--stdin'], 'a new harbour\n');
  expect(result.status).toBe(0);
  expect(result.stdout).not.toContain('a new harbour');
  expect((await user.client.fetch('/users/profile', { headers: user.authorization })).status).toBe(
    401,
  );
  expect((await login(PASSWORD)).status).toBe(401);
  expect((await login('a new harbour')).ok).toBe(true);

  const generated = await admin(['reset-password', user.email]);
  const password = /^New password: (\S{20})$/m.exec(generated.stdout)?.[1] ?? '';
  expect((await login('a new harbour')).status).toBe(401);
  expect((await login(password)).ok).toBe(true);
});

test('wharf admin ban stops an account beside a running server, unban lets it go on, and both are in the audit log', async () => {
  const other = await signUp(server);
  const bucket = await createBucket(server, other.token);
  const withKey = () =>
    fetch(`${server.url}/files/${bucket.id}`, { headers: { 'x-api-key': bucket.api_key } });
  expect((await withKey()).status).toBe(200);
  expect(await admin(['ban', other.email])).toMatchObject({ status: 0 });
  const profile = () => other.client.fetch('/users/profile', { headers: other.authorization });
  expect((await profile()).status).toBe(401);
  await until(async () => (await withKey()).status !== 200);
  expect(await admin(['ban', other.email])).toMatchObject({
    status: 1,
    stderr: 'This account is already banned.\n',
  });
  expect(await admin(['unban', other.email])).toMatchObject({ status: 0 });
  await until(async () => (await withKey()).status === 200);
  const log = await server.db
    .selectFrom('audit_log')
    .select(['action', 'actor'])
    .where('subject_id', '=', other.userId)
    .where('actor', '=', 'system')
    .execute();
  const actions = log.map(({ action }) => action);
  expect(actions).toContain('user.banned');
  expect(actions).toContain('user.unbanned');
});
