import { afterAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { dropDatabases, migratedDatabase } from '../../../tests/support/server/engines.ts';
import { startFreezingProxy } from '../../../tests/support/services/freezing-proxy.ts';
import { startPostgres } from '../../../tests/support/services/postgres.ts';
import { afterCommit } from '../db/after-commit.ts';
import type { Database } from '../db/port.ts';
import { openPostgres } from '../db/postgres.ts';
import { describeEvents, until } from './conformance.ts';
import { openPostgresEvents } from './postgres.ts';

const server = await startPostgres();
const admin = server && new SQL(server.url, { max: 1 });
const url = server ? await migratedDatabase(server.url) : '';
const database = url && new URL(url).pathname.slice(1);
afterAll(async () => {
  if (url) await dropDatabases([url]);
  await admin?.close();
});

describe.skipIf(!server)('PostgreSQL', () => {
  describeEvents('events on PostgreSQL', (onError) => openPostgresEvents({ url, onError }));

  async function openTwo(ofOne: { url: string; beatIntervalMs?: number } = { url }) {
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const one = await openPostgresEvents({ ...ofOne, onError });
    const two = await openPostgresEvents({ url, onError });
    const received: string[] = [];
    one.subscribe('files', (payload) => received.push(`one ${payload}`));
    two.subscribe('files', (payload) => received.push(`two ${payload}`));
    const close = async () => void (await Promise.all([one.close(), two.close()]));
    return { one, two, received, errors, [Symbol.asyncDispose]: close };
  }
  const terminate = () =>
    admin?.unsafe(`select pg_terminate_backend(pid, 2000) from pg_stat_activity
      where datname = '${database}'`);

  test('brings events from each process to all, once', async () => {
    await using both = await openTwo();
    await both.one.publish('files', 'a');
    await both.two.publish('files', 'b');
    await until(() => both.received.length >= 4);
    await Bun.sleep(50);
    expect(both.received.sort()).toEqual(['one a', 'one b', 'two a', 'two b']);
  });

  test('tells the publisher’s own process before anything is sent', async () => {
    await using both = await openTwo();
    const published = both.one.publish('files', 'now');
    await Promise.resolve();
    expect(both.received).toEqual(['one now']);
    await published;
    await until(() => both.received.length === 2);
    await Bun.sleep(50);
    expect(both.received).toEqual(['one now', 'two now']);
  });

  test('brings the same message from both processes twice to each', async () => {
    await using both = await openTwo();
    await Promise.all([both.one.publish('files', 'same'), both.two.publish('files', 'same')]);
    await until(() => both.received.length === 4);
    await Bun.sleep(50);
    expect(both.received.sort()).toEqual(['one same', 'one same', 'two same', 'two same']);
  });

  test('reports a gap when its connections were cut, and brings events again', async () => {
    await using both = await openTwo();
    const gaps: string[] = [];
    both.one.onGap(() => {
      throw new Error('a listener of gaps');
    });
    both.one.onGap(() => gaps.push('one'));
    both.two.onGap(() => gaps.push('two'));
    both.two.onGap(() => gaps.push('never'))();
    for (let round = 1; round <= 2; round += 1) {
      await terminate();
      await until(() => gaps.length === round * 2);
      await both.one.publish('files', round);
      await both.two.publish('files', round);
      await until(() => both.received.length === round * 4);
    }
    expect(gaps.sort()).toEqual(['one', 'one', 'two', 'two']);
    expect(both.received.sort()).toEqual([
      'one 1',
      'one 1',
      'one 2',
      'one 2',
      'two 1',
      'two 1',
      'two 2',
      'two 2',
    ]);
    expect(both.errors).toHaveLength(2);
  });

  test('notices that it has become deaf, reports a gap, and goes on over another connection', async () => {
    await using proxy = await startFreezingProxy(url);
    await using both = await openTwo({ url: proxy.url, beatIntervalMs: 1000 });
    let gaps = 0;
    both.one.onGap(() => {
      gaps += 1;
    });
    proxy.freeze();
    await both.two.publish('files', 'missed');
    const published = both.one.publish('files', 'late');
    await until(() => both.received.includes('two late'));
    await published;
    // One when it has noticed, and one when it listens again.
    await until(() => gaps >= 2);
    await both.two.publish('files', 'heard');
    await until(() => both.received.includes('one heard'));
    expect(both.received).not.toContain('one missed');
  });

  test('asks whether it still hears while nothing happens', async () => {
    await using both = await openTwo({ url, beatIntervalMs: 500 });
    let pings = 0;
    both.two.subscribe('ping', () => {
      pings += 1;
    });
    await until(() => pings >= 3);
    expect(both.errors).toEqual([]);
  });

  test('sends what a transaction publishes if it is committed, whether anybody learns of that or not', async () => {
    await using both = await openTwo();
    const database = openPostgres(url);
    const undone = database.transaction(async (tx) => {
      await both.one.publishIn(tx, 'files', 'undone');
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    const untold = database.transaction(async (tx) => {
      afterCommit(tx, failAfterCommit);
      await both.one.publishIn(tx, 'files', 'done');
    });
    await expect(untold).rejects.toThrow('the answer is lost');
    await until(() => both.received.length === 2);
    expect(both.received.sort()).toEqual(['one done', 'two done']);
    await database.transaction((tx) => both.one.publishIn(tx, 'files', 'told'));
    expect(both.received).toContain('one told');
    await until(() => both.received.includes('two told'));
    await both.two.publish('files', 'last');
    await until(() => both.received.includes('one last'));
    expect(both.received.filter((one) => one === 'one told')).toHaveLength(1);
    await database.close();
  });

  /** As where the answer of a commit is lost, or the process dies before it comes: nothing else is done then. */
  const failAfterCommit = () => {
    throw new Error('the answer is lost');
  };

  /** Calls `use` with a database, in which the test publishes with transactions. */
  async function withDatabase(use: (database: Database) => Promise<void>) {
    const database = openPostgres(url);
    await use(database);
    await until(async () => (await outboxOf(database)).length === 0);
    await database.close();
  }
  const outboxOf = ({ db }: Database) => db.selectFrom('event_outbox').selectAll().execute();

  test('sends what many transactions publish in few notifications', async () => {
    await using both = await openTwo();
    await using listener = new SQL(url, { max: 1 });
    const notifications: string[] = [];
    await listener.listen('wharf_events', (text) => notifications.push(text));
    const numbers = Array.from({ length: 1000 }, (_, number) => number);
    await withDatabase(async ({ transaction }) => {
      await transaction((tx) =>
        Promise.all(numbers.map((number) => both.one.publishIn(tx, 'files', number))),
      );
      await until(() => both.received.length >= 2 * numbers.length);
    });
    await both.one.publish('last', null);
    await until(() => notifications.some((text) => text.includes('last')));
    expect(both.received.filter((text) => text.startsWith('two'))).toEqual(
      numbers.map((number) => `two ${number}`),
    );
    expect(both.received).toHaveLength(2 * numbers.length);
    expect(both.errors).toEqual([]);
    // Each takes about 20 bytes.
    expect(notifications.length).toBeLessThan(10);
  });

  test('sends what a process has committed that died before it sent it', async () => {
    await using both = await openTwo();
    const dying = await openPostgresEvents({ url, onError: () => {} });
    await withDatabase(async ({ transaction }) => {
      const untold = transaction(async (tx) => {
        afterCommit(tx, failAfterCommit);
        await dying.publishIn(tx, 'files', 'left');
      });
      await expect(untold).rejects.toThrow('the answer is lost');
      await dying.close();
      await until(() => both.received.length === 2);
    });
    await both.one.publish('files', 'last');
    await until(() => both.received.filter((text) => text.endsWith('last')).length === 2);
    expect(both.received.filter((text) => text.endsWith('left')).sort()).toEqual([
      'one left',
      'two left',
    ]);
  });

  test('tells a process once what another one has sent for it', async () => {
    await using both = await openTwo();
    await withDatabase(async ({ transaction }) => {
      await transaction(async (tx) => {
        afterCommit(tx, () => until(() => both.received.length === 2));
        await both.one.publishIn(tx, 'files', 'slow');
      });
      await both.one.publish('files', 'last');
      await until(() => both.received.filter((text) => text.endsWith('last')).length === 2);
    });
    expect(both.received.filter((text) => text.endsWith('slow')).sort()).toEqual([
      'one slow',
      'two slow',
    ]);
  });

  test('passes over notifications that are not its own', async () => {
    await using both = await openTwo();
    await using stranger = new SQL(url, { max: 1 });
    for (const text of ['', 'not json', '{}', '[1,2]', '["files"]', '["files",1,2]', 'null']) {
      await stranger.notify('wharf_events', text);
    }
    await both.one.publish('files', 'mine');
    await until(() => both.received.length === 2);
    expect(both.received.sort()).toEqual(['one mine', 'two mine']);
    expect(both.errors).toHaveLength(14);
  });

  test('closes while its connection is cut, and leaves none open', async () => {
    const both = await openTwo();
    await terminate();
    await both[Symbol.asyncDispose]();
    const connections = () =>
      admin?.unsafe(`select from pg_stat_activity where datname = '${database}'`);
    await until(async () => (await connections())?.length === 0);
  });

  test('rejects when there is no database to listen to', async () => {
    const onError = () => {};
    await expect(
      openPostgresEvents({ url: 'postgres://nobody@127.0.0.1:1/none', onError }),
    ).rejects.toThrow();
  });
});
