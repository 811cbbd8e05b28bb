import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { TLS_CERTIFICATE, TLS_KEY } from '../../../tests/support/fixtures/tls-certificate.ts';
import { startOwnPostgres, startPostgres } from '../../../tests/support/services/postgres.ts';
import { openPostgresEvents } from '../events/postgres.ts';
import { openPostgresLimits } from '../limits/postgres.ts';
import { PostgresLocks } from '../locks/postgres.ts';
import { migrate } from './migrate.ts';
import { openPostgres } from './postgres.ts';

const plain = await startPostgres();
const encrypted = plain && (await startOwnPostgres({ key: TLS_KEY, certificate: TLS_CERTIFICATE }));
const folder = await mkdtemp(join(tmpdir(), 'wharf-tls-'));
afterAll(() => rm(folder, { recursive: true }));
const ca = join(folder, 'ca.pem');
await writeFile(ca, TLS_CERTIFICATE);

if (encrypted) {
  const database = openPostgres(encrypted.url);
  await migrate(database);
  await database.close();
}

const onError = () => {};
/** Every kind of connection that the server makes, which use two drivers. */
const CONNECTIONS: Record<string, (url: string) => Promise<unknown>> = {
  async queries(url) {
    const database = openPostgres(url);
    try {
      const { rows } = await sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(
        database.db,
      );
      return rows;
    } finally {
      await database.close();
    }
  },
  async events(url) {
    const events = await openPostgresEvents({ url, onError });
    await events.close();
  },
  async limits(url) {
    const limits = openPostgresLimits({ url });
    try {
      await limits.limiter({ name: 'tls', points: 1, duration: 1000 }).take('x');
    } finally {
      await limits.close();
    }
  },
  async locks(url) {
    const locks = new PostgresLocks(url);
    try {
      await locks.tryTake('tls');
    } finally {
      await locks.close();
    }
  },
};

describe.skipIf(!plain)('a connection to PostgreSQL that must be encrypted', () => {
  for (const [name, connect] of Object.entries(CONNECTIONS)) {
    const outcome = (base: string | undefined, query: string) =>
      connect(`${base}?sslmode=verify-full${query}`).then(
        () => 'connected',
        () => 'refused',
      );

    test(`for ${name} needs a server with TLS and a certificate that is vouched for`, async () => {
      const trusted = `&sslrootcert=${encodeURIComponent(ca)}`;
      expect([
        await outcome(plain?.url, trusted),
        await outcome(encrypted?.url, ''),
        await outcome(encrypted?.url, trusted),
      ]).toEqual(['refused', 'refused', 'connected']);
    });
  }

  test('is encrypted', async () => {
    const url = `${encrypted?.url}?sslmode=verify-full&sslrootcert=${encodeURIComponent(ca)}`;
    expect(await CONNECTIONS.queries?.(url)).toEqual([{ ssl: true }]);
  });
});
