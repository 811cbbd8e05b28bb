import { afterEach, expect, test } from 'bun:test';
import { until } from '../../../tests/support/client/wait.ts';
import { describeEachEngine, type OpenDatabase } from '../../../tests/support/server/engines.ts';
import { HOUR, MINUTE, SECOND } from '../../contract/limits.ts';
import { newId } from '../ids.ts';
import { deriveKeys } from '../secrets/secrets.ts';
import { WebhookDispatcher } from './dispatcher.ts';
import { claimWebhookAttempt } from './due-store.ts';
import * as outbox from './outbox-store.ts';
import { RETRY_DELAYS_MS } from './schedule.ts';
import type { Outcome, Send } from './send.ts';
import { sealTarget, type Target } from './target.ts';

const keys = deriveKeys('s'.repeat(32));
const SEALED: Target = { url: 'https://sealed.example/', secrets: ['whsec_c2VhbGVk'] };
const CURRENT: Target = { url: 'https://current.example/', secrets: ['whsec_Y3VycmVudA=='] };
const DEAD = { owner: 'owner of b', bucketId: 'b', token: 'dead' };
const outcomeOf = (status: number | null, retryAfter: number | null = null): Outcome => ({
  status,
  text: status === null ? 'The request timed out.' : `said ${status}`,
  retryAfter,
  request: { url: 'https://sent.example/', headers: { 'webhook-id': 'sent' } },
});

const running: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const dispatcher of running.splice(0)) await dispatcher.stop();
});

/** Makes all deliveries wait. Returns functions that accept them, in the order in which they came. */
function holdAll(world: { says: Send }): (() => void)[] {
  const ends: (() => void)[] = [];
  world.says = (_target, _message, signal) =>
    new Promise((resolve, reject) => {
      ends.push(() => resolve(outcomeOf(200)));
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  return ends;
}

/**
 * Opens a dispatcher on a fresh database, with a clock that can be moved and an endpoint whose answers can
 * be chosen.
 */
async function open(openDatabase: OpenDatabase) {
  const database = await openDatabase();
  const world = {
    now: Date.parse('2025-06-01T12:00:00Z'),
    target: CURRENT as Target | 'off' | 'gone',
    findTarget: async () => world.target,
    says: (async () => outcomeOf(200)) as Send,
  };
  const requests: { id: string; url: string; body: string }[] = [];
  const outcomes: string[] = [];
  const errors: unknown[] = [];
  const hire = () => {
    const dispatcher = new WebhookDispatcher({
      database,
      keys,
      clock: () => world.now,
      send: (target, message, signal) => {
        requests.push({ id: message.id, url: target.url, body: message.body });
        return world.says(target, message, signal);
      },
      targetOf: () => world.findTarget(),
      onOutcome: async ({ id }, url, { status }) => void outcomes.push(`${id} ${url} ${status}`),
      onError: (error) => errors.push(error),
      random: () => 0,
    });
    running.push(dispatcher);
    return dispatcher;
  };
  const add = async (bucketId = 'b', step = 0, owner = `owner of ${bucketId}`) => {
    const id = newId(world.now);
    const targetSealed = sealTarget(keys, SEALED, id);
    const { now } = world;
    const body = `{"n":"${id}"}`;
    await database.batch(
      outbox.webhookAttemptInsertions(database.db, [
        { id, bucketId, owner, type: 'file.success', body, targetSealed, step, now },
      ]),
    );
    return id;
  };
  const row = (id: string) =>
    database.db
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
  /** Adds a delivery and claims it at once, as for a caller that waits for its only attempt. */
  const claimNew = async (bucketId: string) => {
    const claim = { token: 'asked', now: world.now, until: world.now + MINUTE };
    const id = await add(bucketId, RETRY_DELAYS_MS.length);
    return outbox.claimNewWebhookAttempt(database.db, id, claim);
  };
  return { database, world, requests, outcomes, errors, hire, add, claimNew, row };
}

await describeEachEngine('the dispatcher', (openDatabase) => {
  test('delivers once what is taken, and says so', async () => {
    const { add, hire, row, requests, outcomes } = await open(openDatabase);
    const id = await add();
    const dispatcher = hire();
    await dispatcher.round();
    await dispatcher.round();
    expect(requests).toEqual([{ id, url: CURRENT.url, body: `{"n":"${id}"}` }]);
    expect(outcomes).toEqual([`${id} ${CURRENT.url} 200`]);
    expect(await row(id)).toMatchObject({
      state: 'delivered',
      attempts: 1,
      answer_status: 200,
      answer_text: 'said 200',
      claim: null,
    });
  });

  test('tries ten times over three days, at the times of the schedule, with one id', async () => {
    const { add, hire, row, requests, world } = await open(openDatabase);
    const id = await add();
    const dispatcher = hire();
    world.says = async () => outcomeOf(500);
    for (const [index, delay] of RETRY_DELAYS_MS.entries()) {
      await dispatcher.round();
      expect(requests).toHaveLength(index + 1);
      expect(await row(id)).toMatchObject({ state: 'waiting', due_at: world.now + delay });
      world.now += delay - 1;
      await dispatcher.round();
      expect(requests).toHaveLength(index + 1);
      world.now += 1;
    }
    await dispatcher.round();
    expect(await row(id)).toMatchObject({ state: 'failed', attempts: 10, answer_status: 500 });
    world.now += 100 * HOUR;
    await dispatcher.round();
    expect(new Set(requests.map((one) => one.id))).toEqual(new Set([id]));
    expect(requests).toHaveLength(10);
  });

  test('waits as long as the endpoint asks', async () => {
    const { add, hire, row, world } = await open(openDatabase);
    const id = await add();
    world.says = async () => outcomeOf(429, 20 * MINUTE);
    await hire().round();
    expect(await row(id)).toMatchObject({ state: 'waiting', due_at: world.now + 20 * MINUTE });
  });

  test('no answer and a redirect are failures like any other', async () => {
    const { add, hire, row, world } = await open(openDatabase);
    for (const status of [null, 302, 404, 100]) {
      const id = await add();
      world.says = async () => outcomeOf(status);
      await hire().round();
      const due_at = world.now + 5 * SECOND;
      expect(await row(id)).toMatchObject({ state: 'waiting', answer_status: status, due_at });
    }
  });

  test('410 ends a delivery at once, and is told', async () => {
    const { add, hire, row, outcomes, world } = await open(openDatabase);
    const id = await add();
    world.says = async () => outcomeOf(410);
    await hire().round();
    expect(await row(id)).toMatchObject({ state: 'failed', attempts: 1, answer_status: 410 });
    expect(outcomes).toEqual([`${id} ${CURRENT.url} 410`]);
  });

  test('a webhook that is off by now gets nothing', async () => {
    const { add, hire, row, requests, world } = await open(openDatabase);
    const id = await add();
    world.target = 'off';
    await hire().round();
    expect(requests).toEqual([]);
    expect(await row(id)).toMatchObject({
      state: 'failed',
      answer_text: 'The webhook is disabled.',
    });
  });

  test('when the bucket is gone its last deliveries go where they were meant to', async () => {
    const { add, hire, requests, world } = await open(openDatabase);
    const id = await add();
    world.target = 'gone';
    await hire().round();
    expect(requests).toMatchObject([{ id, url: SEALED.url }]);
  });

  test('what a dead process had taken is delivered after it, with the same id', async () => {
    const { add, database, hire, requests, row, world } = await open(openDatabase);
    const id = await add();
    const claim = { ...DEAD, now: world.now, until: world.now + MINUTE };
    expect((await claimWebhookAttempt(database, claim))?.id).toBe(id);
    const beside = hire();
    await beside.start({ isOnlyProcess: false });
    await beside.round();
    expect(requests).toEqual([]);
    world.now += MINUTE;
    await beside.round();
    expect(requests).toMatchObject([{ id }]);
    await outbox.settleWebhookAttempt(
      database.db,
      { id, claim: 'dead' },
      {
        ...{ state: 'failed', step: 9, due_at: 0, finished_at: 1 },
        ...{ answer_status: null, answer_text: '', sent_url: null, sent_headers: null },
      },
    );
    expect(await row(id)).toMatchObject({ state: 'delivered', attempts: 2 });
  });

  test('alone it does not wait for the dead', async () => {
    const { add, database, hire, requests, world } = await open(openDatabase);
    const id = await add();
    const claim = { ...DEAD, now: world.now, until: world.now + MINUTE };
    await claimWebhookAttempt(database, claim);
    const dispatcher = hire();
    await dispatcher.start({ isOnlyProcess: true });
    await dispatcher.round();
    expect(requests).toMatchObject([{ id }]);
  });

  test('two couriers on one database deliver each once', async () => {
    const { add, hire, requests, world } = await open(openDatabase);
    const ids = new Set<string>();
    for (let i = 0; i < 40; i += 1) ids.add(await add(`bucket-${i % 20}`));
    world.says = async () => {
      await Bun.sleep(5);
      return outcomeOf(200);
    };
    await Promise.all([hire().round(), hire().round()]);
    expect(requests).toHaveLength(40);
    expect(new Set(requests.map(({ id }) => id))).toEqual(ids);
  });

  test('a stop gives back what is under way, as if it had not been tried', async () => {
    const { add, hire, row, world, errors } = await open(openDatabase);
    const id = await add();
    world.says = (_target, _message, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    const dispatcher = hire();
    await dispatcher.start({ isOnlyProcess: true });
    while ((await row(id)).claim === null) await Bun.sleep(5);
    await dispatcher.stop();
    expect(await row(id)).toMatchObject({
      state: 'waiting',
      attempts: 0,
      due_at: world.now,
      claim: null,
    });
    expect(errors).toEqual([]);
  });

  test('a delivery that was claimed as the stop began is given back unsent', async () => {
    const { add, hire, requests, row, world } = await open(openDatabase);
    const id = await add();
    const { promise: isClaimed, resolve: claimed } = Promise.withResolvers<void>();
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    world.findTarget = async () => {
      claimed();
      await gate;
      return CURRENT;
    };
    const dispatcher = hire();
    await dispatcher.start({ isOnlyProcess: true });
    await isClaimed;
    const stopped = dispatcher.stop();
    release();
    await stopped;
    expect(requests).toEqual([]);
    expect(await row(id)).toMatchObject({ attempts: 0, due_at: world.now, claim: null });
  });

  test('an attempt that somebody waits for ends at once, also where it breaks', async () => {
    const { claimNew, hire, row, requests, world, errors } = await open(openDatabase);
    const dispatcher = hire();
    const attempt = async () => {
      const claimed = await claimNew('b');
      await dispatcher.attempt(claimed);
      return row(claimed.id);
    };
    world.says = async () => outcomeOf(500);
    const refused = { state: 'failed', attempts: 1, answer_status: 500, answer_text: 'said 500' };
    expect(await attempt()).toMatchObject(refused);
    world.says = async () => {
      throw new Error('no memory left');
    };
    const failed = { state: 'failed', attempts: 1, answer_status: null, claim: null };
    expect(await attempt()).toMatchObject({
      ...failed,
      answer_text: 'The request could not be sent.',
    });
    expect(errors).toEqual([new Error('no memory left')]);
    world.now += 100 * HOUR;
    await dispatcher.round();
    expect(requests).toHaveLength(2);
  });

  test('an attempt that somebody waits for takes no place that is not free', async () => {
    const { claimNew, hire, row, requests, world } = await open(openDatabase);
    const dispatcher = hire();
    const responders: (() => void)[] = [];
    world.says = () => new Promise((resolve) => responders.push(() => resolve(outcomeOf(200))));
    const under = [];
    for (let at = 0; at < 32; at += 1) under.push(dispatcher.attempt(await claimNew(`b${at}`)));
    await until(async () => responders.length === 32);
    const other = await claimNew('late');
    await dispatcher.attempt(other);
    expect(requests).toHaveLength(32);
    expect(await row(other.id)).toMatchObject({ state: 'waiting', attempts: 0, claim: null });
    world.says = async () => outcomeOf(200);
    for (const end of responders) end();
    await Promise.all(under);
    await dispatcher.round();
    expect(await row(other.id)).toMatchObject({ state: 'delivered', attempts: 1 });
  });

  test('dead endpoints with much to come do not hold up another one', async () => {
    const { add, hire, requests, world } = await open(openDatabase);
    const buckets = new Map<string, string>();
    for (let i = 0; i < 400; i += 1) buckets.set(await add(`dead-${i % 40}`), `dead-${i % 40}`);
    let pending: ((outcome: Outcome) => void)[] = [];
    const ids = new Set<string | undefined>();
    world.says = (_target, { body }, signal) => {
      const { n } = JSON.parse(body);
      if (!buckets.has(n)) return Promise.resolve(outcomeOf(200));
      ids.add(buckets.get(n));
      return new Promise((resolve, reject) => {
        pending.push(resolve);
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    };
    const dispatcher = hire();
    await dispatcher.start({ isOnlyProcess: true });
    const timeOut = async () => {
      const waiting = pending;
      pending = [];
      for (const end of waiting) end(outcomeOf(null));
      await Bun.sleep(150);
    };
    // Nothing is known of these endpoints at first, so that each of them times out once.
    while (ids.size < 40) await timeOut();
    // Until its timeout is written, an endpoint is tried like any other.
    await until(async () => {
      await timeOut();
      await until(async () => pending.length >= 32);
      await Bun.sleep(200);
      return pending.length === 32;
    });
    const fine: string[] = [];
    for (let i = 0; i < 20; i += 1) fine.push(await add('fine'));
    const delivered = () => requests.filter(({ id }) => fine.includes(id)).length;
    await until(async () => delivered() === 20);
  });

  test('accounts whose endpoints take their time do not hold up a stranger', async () => {
    const { add, hire, requests, world } = await open(openDatabase);
    for (let at = 0; at < 96; at += 1) await add(`slow-${at}`, 0, `attacker-${at % 8}`);
    const ends = holdAll(world);
    const dispatcher = hire();
    await dispatcher.start({ isOnlyProcess: true });
    await until(async () => requests.length === 32);
    const id = await add('stranger');
    world.now += SECOND;
    // The next look at the outbox comes every second, and when any delivery ends.
    ends[0]?.();
    await until(async () => requests.some((request) => request.id === id));
    expect(requests.length).toBeLessThanOrEqual(34);
  });

  test('accounts take turns, also where all slots are always taken', async () => {
    const { add, hire, requests, world } = await open(openDatabase);
    for (let at = 0; at < 90; at += 1) await add(`b${at % 9}`, 0, `a${at % 9}`);
    const ends = holdAll(world);
    const dispatcher = hire();
    await dispatcher.start({ isOnlyProcess: true });
    await until(async () => requests.length === 32);
    const id = await add('stranger', 0, 'z');
    for (let turn = 0; turn < 10; turn += 1) {
      ends[turn]?.();
      await until(async () => requests.length === 33 + turn);
    }
    expect(requests.map((request) => request.id)).toContain(id);
  });

  test('accounts take turns, one delivery each', async () => {
    const { add, hire, requests } = await open(openDatabase);
    const owners = new Map<string, string>();
    for (const owner of ['a', 'a', 'a', 'b', 'c', 'c'])
      owners.set(await add(owner, 0, owner), owner);
    await hire().round();
    expect(requests.map(({ id }) => owners.get(id)).join('')).toBe('abcaca');
  });
});
