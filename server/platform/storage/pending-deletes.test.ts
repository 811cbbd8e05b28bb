import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { upstreamUnavailable } from '../../errors.ts';
import type { Database } from '../db/port.ts';
import { runPendingDeletes } from './pending-deletes.ts';
import { pauseDeletions, scheduleDelete, scheduleDeletes } from './pending-deletes-store.ts';

const NOW = 1_800_000_000_000;

/** Runs one pass over a store that calls `work` for each prefix, and returns what was deleted. */
async function sweep(database: Database, work: (prefix: string) => Promise<boolean>) {
  const asked: string[] = [];
  const objects = {
    deletePrefix: async (prefix: string) => {
      asked.push(prefix);
      return work(prefix);
    },
  };
  const result = await runPendingDeletes({ db: database.db, objects, now: NOW }).catch(
    (error: Error) => error.message,
  );
  return { result, asked: asked.sort() };
}

const rowsOf = async ({ db }: Database) =>
  db.selectFrom('pending_deletes').select(['prefix', 'not_before']).orderBy('prefix').execute();
const namesOf = (count: number) =>
  Array.from({ length: count }, (_, at) => `f/${String(at).padStart(3, '0')}/`);

await describeEachEngine('pending deletes', (openDatabase) => {
  test('are carried out when they are due, each once', async () => {
    const database = await openDatabase();
    const names = namesOf(250);
    await scheduleDeletes(database.db, new Set(names), NOW);
    await scheduleDelete(database.db, 'f/later/', NOW + 1);
    expect(await sweep(database, async () => true)).toEqual({ result: false, asked: names });
    expect(await rowsOf(database)).toEqual([{ prefix: 'f/later/', not_before: NOW + 1 }]);
  });

  test('that fail keep no others waiting, and are carried out later', async () => {
    const database = await openDatabase();
    const names = namesOf(30);
    await scheduleDeletes(database.db, new Set(names), NOW);
    const { result, asked } = await sweep(database, async (prefix) => {
      if (prefix < 'f/010/') throw new Error('no such storage');
      return true;
    });
    expect([result, asked]).toEqual(['no such storage', names]);
    expect((await rowsOf(database)).map(({ prefix }) => prefix)).toEqual(names.slice(0, 10));
    expect((await sweep(database, async () => true)).asked).toEqual(names.slice(0, 10));
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
    expect(await rowsOf(database)).toHaveLength(50);
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
    expect(await rowsOf(database)).toEqual([{ prefix: 'f/large/', not_before: -NOW }]);
    expect(await sweep(database, async () => true)).toEqual({ result: false, asked: ['f/large/'] });
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
    expect((await sweep(database, async () => true)).asked).toEqual([]);
  });
});
