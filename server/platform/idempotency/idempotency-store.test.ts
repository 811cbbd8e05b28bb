import { expect, test } from 'bun:test';
import { insertBuckets } from '../../../tests/support/fixtures/bucket-rows.ts';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { gated } from '../../../tests/support/server/gated-database.ts';
import { DAY } from '../../contract/limits.ts';
import { deleteExpiredKeys, deleteKey, findRepeatedRequest } from './idempotency-store.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');

await describeEachEngine('a request with an idempotency key', (openDatabase) => {
  async function open() {
    const database = gated(await openDatabase());
    await insertBuckets(database.db, NOW);
    const send = (key: string | undefined, subjectId: string, name = 'Pictures', at = NOW) =>
      database.transaction((tx) =>
        findRepeatedRequest(tx, { userId: 'u', key, request: ['bucket', name], subjectId }, at),
      );
    const keys = async () =>
      (await database.db.selectFrom('idempotency_keys').select('key').execute()).map(
        ({ key }) => key,
      );
    return { database, send, keys };
  }

  test('creates once, and returns what it has created when it is repeated', async () => {
    const { send } = await open();
    expect(await send('k', 'first')).toBeNull();
    expect(await send('k', 'second')).toBe('first');
    expect(await send('other', 'third')).toBeNull();
    expect(await send(undefined, 'fourth')).toBeNull();
    expect(await send(undefined, 'fifth')).toBeNull();
  });

  test('creates once where both copies arrive at the same time', async () => {
    const { database, send } = await open();
    const outcomes = await database.overlap(
      () => send('k', 'first'),
      () => send('k', 'second'),
    );
    expect(outcomes.map((outcome) => 'value' in outcome && outcome.value)).toEqual([null, 'first']);
  });

  test('is refused where its key was used for another request', async () => {
    const { send } = await open();
    await send('k', 'first');
    await expect(send('k', 'second', 'Videos')).rejects.toMatchObject({
      status: 409,
      text: 'This Idempotency-Key was used for another request. Send a new one for each request.',
    });
  });

  test('is a new one after its action has failed', async () => {
    const { database, send } = await open();
    await send('k', 'first');
    await deleteKey(database.db, 'u', 'k');
    expect(await send('k', 'second')).toBeNull();
  });

  test('is remembered for a day, and the last hundred of an account are', async () => {
    const { database, send, keys } = await open();
    for (let at = 0; at <= 100; at += 1) await send(`k${at}`, 's', 'Pictures', NOW + at);
    expect(await keys()).toHaveLength(100);
    expect(await send('k0', 'again', 'Pictures', NOW + 101)).toBeNull();
    expect(await send('k100', 'again')).toBe('s');
    await deleteExpiredKeys(database.db, NOW + 100 + DAY);
    expect((await keys()).sort()).toEqual(['k0', 'k100']);
  });

  test('is remembered although the clock was set back since a hundred others', async () => {
    const { send } = await open();
    for (let at = 0; at < 100; at += 1) await send(`k${at}`, 's', 'Pictures', NOW + at);
    await send('late', 'made', 'Pictures', NOW - DAY);
    expect(await send('late', 'again', 'Pictures', NOW - DAY)).toBe('made');
  });

  test('is forgotten with its account', async () => {
    const { database, send, keys } = await open();
    await send('k', 'first');
    await database.db.deleteFrom('buckets').execute();
    await database.db.deleteFrom('users').execute();
    expect(await keys()).toEqual([]);
  });
});
