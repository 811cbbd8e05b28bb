import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { HOUR, MINUTE } from '../../contract/limits.ts';
import { upstreamUnavailable } from '../../errors.ts';
import type { Database } from '../db/port.ts';
import { pauseDeletions } from './deletion-pause-store.ts';
import { failingDeletes, SECOND_DELETE_DELAY_MS } from './due-deletes-store.ts';
import { retryDelayMs, runPendingDeletes } from './pending-deletes.ts';
import {
  cancelDelete,
  expediteDeletes,
  scheduleDelete,
  scheduleDeletes,
} from './pending-deletes-store.ts';
import { reservationsOf } from './reservations-store.ts';

const NOW = 1_800_000_000_000;

/** Runs one pass over a store that calls `work` for each prefix or key, and returns what was deleted. */
async function sweep(
  database: Database,
  work: (prefix: string) => Promise<boolean> = async () => true,
  now = NOW,
) {
  const asked: string[] = [];
  const deletePrefix = async (prefix: string) => {
    asked.push(prefix);
    return work(prefix);
  };
  const deleteKey = async (key: string) => void (await deletePrefix(`key ${key}`));
  const objects = { deletePrefix, delete: deleteKey };
  const result = await runPendingDeletes({ db: database.db, objects, now }).catch(
    (error: Error) => error.message,
  );
  return { result, asked: asked.sort() };
}

/** Returns the deletes whose objects are not deleted yet. */
const rowsOf = async ({ db }: Database) =>
  db
    .selectFrom('pending_deletes')
    .select(['prefix', 'not_before'])
    .where('deleted_at', 'is', null)
    .orderBy('prefix')
    .execute();
const fail = async () => {
  throw new Error('no such storage');
};
const namesOf = (count: number) =>
  Array.from({ length: count }, (_, at) => `f/${String(at).padStart(3, '0')}/`);

await describeEachEngine('pending deletes', (openDatabase) => {
  test('are carried out when they are due, each once', async () => {
    const database = await openDatabase();
    const names = namesOf(250);
    await scheduleDeletes(database.db, new Set(names), NOW);
    await scheduleDelete(database.db, 'f/later/', NOW + 1);
    expect(await sweep(database)).toEqual({ result: false, asked: names });
    expect(await rowsOf(database)).toEqual([{ prefix: 'f/later/', not_before: NOW + 1 }]);
  });

  test('that fail keep no others waiting, and are carried out later', async () => {
    const database = await openDatabase();
    const names = namesOf(30);
    await scheduleDeletes(database.db, new Set(names), NOW);
    const { asked } = await sweep(database, (prefix) =>
      prefix < 'f/010/' ? fail() : Promise.resolve(true),
    );
    expect(asked).toEqual(names);
    expect((await rowsOf(database)).map(({ prefix }) => prefix)).toEqual(names.slice(0, 10));
    expect((await sweep(database, undefined, NOW + MINUTE)).asked).toEqual(names.slice(0, 10));
    expect(await rowsOf(database)).toEqual([]);
  });

  test('are not attempted one after the other in a region whose storage does not respond', async () => {
    const database = await openDatabase();
    const away = Array.from({ length: 50 }, (_, at) => `OC/f/${at}/`);
    await scheduleDeletes(database.db, new Set([...away, ...namesOf(5)]), NOW);
    const { asked } = await sweep(database, async (prefix) => {
      if (!prefix.startsWith('OC/')) return true;
      await Bun.sleep(5);
      throw upstreamUnavailable(new Error('ECONNREFUSED'), 'It is away.', 1000);
    });
    expect(asked.filter((prefix) => prefix.startsWith('f/'))).toEqual(namesOf(5));
    expect(asked.length).toBeLessThan(20);
    // Not even the one that takes long to fail is the first of the next pass.
    expect(await sweep(database)).toEqual({ result: false, asked: [] });
    expect((await sweep(database, undefined, NOW + MINUTE)).asked).toHaveLength(50);
  });

  test('that keep failing are attempted less and less often, with their reason, until they succeed', async () => {
    const { db } = await openDatabase();
    const database = { db } as Database;
    await scheduleDelete(db, 'f/stuck/', NOW);
    let now = NOW;
    for (const minutes of [1, 2, 4]) {
      expect((await sweep(database, fail, now)).asked).toEqual(['f/stuck/']);
      now += minutes * MINUTE;
      expect((await sweep(database, fail, now - 1)).asked).toEqual([]);
    }
    expect(await failingDeletes(db, 10)).toEqual([
      expect.objectContaining({
        ...{ prefix: 'f/stuck/', failures: 3, error: 'no such storage' },
        ...{ started_at: NOW, not_before: now },
      }),
    ]);
    expect(await cancelDelete(db, 'f/stuck/')).toBe(false);
    expect((await sweep(database, undefined, now)).asked).toEqual(['f/stuck/']);
    expect(await failingDeletes(db, 10)).toEqual([]);
  });

  test('are carried out once more an hour later, in which S3 may have stored more', async () => {
    const database = await openDatabase();
    const { db } = database;
    await scheduleDelete(db, 'u/a/', NOW, { userId: 'somebody', bytes: 7 });
    await sweep(database);
    expect(await reservationsOf(db, 'somebody')).toEqual({ count: 0, bytes: 0 });
    await expediteDeletes(db, ['u/'], NOW + MINUTE);
    const second = NOW + SECOND_DELETE_DELAY_MS;
    expect((await sweep(database, undefined, second - 1)).asked).toEqual([]);
    expect(await cancelDelete(db, 'u/a/')).toBe(false);
    expect((await sweep(database, undefined, second)).asked).toEqual(['u/a/']);
    expect(await db.selectFrom('pending_deletes').selectAll().execute()).toEqual([]);
  });

  test('that are scheduled again while they are carried out are carried out twice again', async () => {
    const database = await openDatabase();
    const again = async (prefix: string) => {
      await scheduleDelete(database.db, prefix, NOW);
      return true;
    };
    await scheduleDelete(database.db, 'f/a/', NOW);
    await sweep(database);
    const second = NOW + SECOND_DELETE_DELAY_MS;
    await sweep(database, again, second);
    const third = second + SECOND_DELETE_DELAY_MS;
    expect((await sweep(database, undefined, third)).asked).toEqual(['f/a/']);
  });

  test('of a single object leave its neighbours alone', async () => {
    const database = await openDatabase();
    await scheduleDelete(database.db, 'o/b/f/part', NOW);
    expect((await sweep(database)).asked).toEqual(['key o/b/f/part']);
  });

  test('that take long are continued, and fsck sees that they get further', async () => {
    const database = await openDatabase();
    await scheduleDelete(database.db, 'f/large/', NOW - 1000);
    await scheduleDelete(database.db, 'f/small/', NOW);
    await scheduleDeletes(database.db, new Set(namesOf(20)), NOW);
    const first = await sweep(database, async (prefix) => {
      if (prefix === 'f/large/') return false;
      await Bun.sleep(20);
      return true;
    });
    expect(first.result).toBe(true);
    expect(await rowsOf(database)).toEqual([{ prefix: 'f/large/', not_before: NOW + 1 }]);
    expect((await sweep(database, undefined, NOW + 1)).asked).toEqual(['f/large/']);
    expect(await rowsOf(database)).toEqual([]);
  });

  test('are not started once a backup has paused deletions', async () => {
    const database = await openDatabase();
    await scheduleDeletes(database.db, new Set(namesOf(350)), NOW);
    let isPaused = false;
    const { asked } = await sweep(database, async () => {
      if (isPaused) return true;
      isPaused = true;
      await pauseDeletions(database.db, 'backup', NOW + 1000);
      return true;
    });
    // Those of the first batch had started before, so no row has named their objects since.
    expect(asked.length).toBeLessThan(350);
    const rows = await rowsOf(database);
    expect(rows.length).toBe(350 - asked.length);
    expect(rows.every(({ not_before }) => not_before === NOW)).toBe(true);
    expect((await sweep(database)).asked).toEqual([]);
  });
});

test.each([
  [0, MINUTE],
  [1, 2 * MINUTE],
  [5, 32 * MINUTE],
  [6, HOUR],
  [5000, HOUR],
])('after %d failures the next attempt is %d ms later', (failures, delayMs) => {
  expect(retryDelayMs(failures)).toBe(delayMs);
});
