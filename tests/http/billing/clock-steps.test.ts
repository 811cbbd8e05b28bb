import { expect, test } from 'bun:test';
import { DAY, GIB, HOUR, MINUTE } from '../../../server/contract/limits.ts';
import { saveTrustedTime } from '../../../server/platform/clock-guard/trusted-time-store.ts';
import { createBucket, signUp } from '../../support/client/api.ts';
import { sharedServerInProcess } from '../../support/server/in-process-server.ts';

/*
 * A server whose clock is set forward by 30 days, with 1,000 GiB in it. They cost $1 a day.
 */

const START = Date.parse('2026-11-10T12:00:00Z');
let [wall, uptime] = [START, 5 * DAY];
const pass = (ms: number) => {
  wall += ms;
  uptime += ms;
};
const server = await sharedServerInProcess(
  { SIGNUP_CREDIT: '100', PRICE_UPLOAD: '0' },
  {
    clock: () => wall,
    time: {
      bootId: 'a',
      uptime: () => uptime,
      synchronizedAt: () => null,
      databaseTime: async () => null,
    },
  },
);
const { services } = server;
const owner = await signUp(server);
const bucket = await createBucket(server, owner.token);
const fileId = 'f';
const store = (gib: number) =>
  services.database.transaction((tx) =>
    services.buckets.contents.change(tx, bucket.id, {
      ...{ bytes: gib * GIB, fileId, createdAt: wall },
    }),
  );
const charges = async () =>
  (
    await server.db
      .selectFrom('ledger_entries')
      .select('amount')
      .where('kind', '=', 'charge')
      .orderBy('seq')
      .execute()
  ).map(({ amount }) => amount / 1e6);
const round = async () => {
  await services.clockGuard.check();
  await services.housekeeping.round();
};
const credit = async () => (await services.billing.credit(owner.userId)).credit;
const pausedBecause = async () => (await services.admin.jobs()).clock;

test('nothing is charged or deleted for time that has not passed, and what happens meanwhile costs what it should', async () => {
  await store(1000);
  pass(13 * HOUR);
  await round();
  expect(await charges()).toEqual([-0.5]);
  const sessions = () => server.db.selectFrom('sessions').select('id').execute();
  const before = await sessions();

  wall += 30 * DAY;
  expect(await credit()).toBeCloseTo(100 - 13 / 24, 5);
  await round();
  expect([await charges(), await sessions()]).toEqual([[-0.5], before]);
  expect(await pausedBecause()).toBe(
    'The clock was set forward by 30 days. Charges and deletions are paused. Correct the clock, or run wharf admin confirm-clock if it is right.',
  );
  // Half of the bytes are deleted while the clock is wrong.
  pass(11 * HOUR);
  await store(-500);
  expect(await credit()).toBeCloseTo(100 - 1, 5);

  wall -= 30 * DAY;
  pass(13 * HOUR);
  await round();
  expect(await charges()).toEqual([-0.5, -0.75]);
  expect(await pausedBecause()).toBeNull();
  const log = server.db.selectFrom('audit_log').select('action').where('action', 'like', 'clock.%');
  expect((await log.orderBy('id').execute()).map(({ action }) => action).sort()).toEqual([
    'clock.doubted',
    'clock.trusted',
  ]);
});

test('a week without the server is charged once an operator has confirmed the clock', async () => {
  const before = (await charges()).length;
  wall += 7 * DAY;
  await round();
  expect(await charges()).toHaveLength(before);
  await saveTrustedTime(server.db, { trusted_at: wall, boot_id: 'command line', uptime: MINUTE });
  await round();
  expect((await charges()).slice(before)).toEqual(Array(7).fill(-0.5));
});
