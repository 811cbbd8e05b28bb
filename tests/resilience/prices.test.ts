import { describe, expect, test } from 'bun:test';
import { freshDatabase } from '../support/server/engines.ts';
import { startServerProcess } from '../support/server/server-process.ts';
import { startPostgres } from '../support/services/postgres.ts';

const postgres = await startPostgres();

describe.skipIf(!postgres)('processes on one database', () => {
  const start = (database: string, env: Record<string, string>) =>
    startServerProcess({
      isQuick: true,
      env: { DATABASE_URL: database, APP_SECRET: 'of the tests, and of nothing else', ...env },
    });

  test('run side by side with the same prices, and a killed one leaves no claim', async () => {
    const database = await freshDatabase(postgres?.url ?? '');
    const prices = { PRICE_STORAGE: '0.04' };
    const [first, second] = [await start(database, prices), await start(database, prices)];
    const other = { ...prices, PRICE_BANDWIDTH: '0.5', PRICE_UPLOAD: '0.25' };
    await expect(start(database, other)).rejects.toThrow(
      'PRICE_BANDWIDTH, PRICE_UPLOAD differ from those of the processes that are running.',
    );
    await first.stop();
    await expect(start(database, other)).rejects.toThrow('PRICE_BANDWIDTH, PRICE_UPLOAD differ');
    await second.restart('SIGKILL', async () => {
      const third = await start(database, other);
      await expect(start(database, prices)).rejects.toThrow('PRICE_BANDWIDTH, PRICE_UPLOAD differ');
      await third.stop();
    });
    await second.stop();
  });
});
