import { afterAll, describe, expect, test } from 'bun:test';
import { freshDatabase } from '../../../tests/support/server/engines.ts';
import { startPostgres } from '../../../tests/support/services/postgres.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../contract/limits.ts';
import { AppError } from '../../errors.ts';
import { migrate } from '../db/migrate.ts';
import { openPostgres } from '../db/postgres.ts';
import { timeText } from './limiter.ts';
import { openMemoryLimits } from './memory.ts';
import type { Limits } from './port.ts';
import { openPostgresLimits } from './postgres.ts';

const postgres = await startPostgres();

function describeLimits(name: string, open: () => Promise<Limits>) {
  describe(name, () => {
    let limits: Limits | undefined;
    const get = async () => {
      limits ??= await open();
      return limits;
    };
    afterAll(() => limits?.close());

    test('let so many through, then say how long to wait', async () => {
      const limiter = (await get()).limiter({ name: 'a', points: 2, duration: HOUR });
      await limiter.take('k');
      await limiter.take('k');
      const error = await limiter.take('k').catch((thrown) => thrown);
      expect(error).toBeInstanceOf(AppError);
      expect(error).toMatchObject({
        status: 429,
        text: 'Too many attempts. Try again in 60 minutes.',
      });
      expect(Number(error.headers['retry-after'])).toBeGreaterThan(3500);
    });

    test('count each key and each limiter apart', async () => {
      const one = (await get()).limiter({ name: 'b', points: 1, duration: HOUR });
      const other = (await get()).limiter({ name: 'c', points: 1, duration: HOUR });
      await one.take('k');
      await one.take('l');
      await other.take('k');
      await expect(one.take('k')).rejects.toThrow('Too many');
    });

    test('let nobody past who comes many times at once', async () => {
      const limiter = (await get()).limiter({ name: 'd', points: 3, duration: HOUR });
      const all = await Promise.allSettled(Array.from({ length: 10 }, () => limiter.take('k')));
      expect(all.filter((one) => one.status === 'fulfilled')).toHaveLength(3);
    });

    test('take back what did not count, and forget when the time is over', async () => {
      const limiter = (await get()).limiter({ name: 'e', points: 1, duration: SECOND });
      await limiter.take('k');
      await limiter.refund('k');
      await limiter.take('k');
      const take = () =>
        limiter.take('k').then(
          () => true,
          () => false,
        );
      while (!(await take())) await Bun.sleep(100);
    });
  });
}

describeLimits('limits in memory', async () => openMemoryLimits());

test('limits in memory forget the keys that were used least recently, and hold no more', async () => {
  const limiter = openMemoryLimits().limiter({ name: 'g', points: 1, duration: HOUR });
  await limiter.take('first');
  for (let index = 0; index < 49_999; index += 1) await limiter.take(String(index));
  await expect(limiter.take('first')).rejects.toThrow('Too many');
  for (let index = 0; index < 50_000; index += 1) await limiter.take(`other ${index}`);
  await limiter.take('first');
});

if (postgres) {
  describeLimits('limits in PostgreSQL', async () => {
    const url = await freshDatabase(postgres.url);
    const database = openPostgres(url);
    await migrate(database);
    await database.close();
    return openPostgresLimits({ url });
  });
  test('limits in PostgreSQL are counted together for all processes', async () => {
    const url = await freshDatabase(postgres.url);
    const database = openPostgres(url);
    await migrate(database);
    await database.close();
    const processes = [openPostgresLimits({ url }), openPostgresLimits({ url })];
    const limiters = processes.map((one) => one.limiter({ name: 'f', points: 3, duration: HOUR }));
    const all = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => limiters[index % 2]?.take('k')),
    );
    expect(all.filter((one) => one.status === 'fulfilled')).toHaveLength(3);
    for (const one of processes) await one.close();
  });
} else {
  describe.skip('limits in PostgreSQL', () => test('need PostgreSQL', () => {}));
}

const times: [number, string][] = [
  [1, '1 second'],
  [59_001, '60 seconds'],
  [90 * SECOND, '2 minutes'],
  [HOUR, '60 minutes'],
  [HOUR + MINUTE, '2 hours'],
  [DAY, '24 hours'],
];
for (const [ms, text] of times) {
  test(`${ms} ms are ${text}`, () => expect(timeText(ms)).toBe(text));
}
