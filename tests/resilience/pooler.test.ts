import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { FileEvent } from '../../server/contract/wire.ts';
import { keepsSessions } from '../../server/platform/db/session-check.ts';
import { createBucket, sendFile, signUp, waitForFile } from '../support/client/api.ts';
import { until } from '../support/client/wait.ts';
import { photo } from '../support/fixtures/make-media.ts';
import { fsck, runCommand } from '../support/server/command.ts';
import { dropDatabases, freshDatabase } from '../support/server/engines.ts';
import { startServerProcess } from '../support/server/server-process.ts';
import { pgbouncerPath, startPgbouncer } from '../support/services/pgbouncer.ts';
import { startPostgres } from '../support/services/postgres.ts';

setDefaultTimeout(600_000);
const postgres = await startPostgres();
const APP_SECRET = 'of the tests, and of nothing else';

async function settingsOf(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const names = ['jit', 'idle_in_transaction_session_timeout', 'lock_timeout'];
  const { rows } = await client.query({
    text: `select ${names.map((name) => `current_setting('${name}')`).join(', ')}`,
    rowMode: 'array',
  });
  await client.end();
  return rows[0] ?? [];
}

describe.skipIf(!postgres || !pgbouncerPath)('PgBouncer in transaction mode', () => {
  test('serves everything beside a URL for sessions, and nothing without one', async () => {
    const direct = await freshDatabase(postgres?.url ?? '');
    await using pooler = await startPgbouncer(direct);
    expect(await keepsSessions(direct)).toBe(true);
    expect(await keepsSessions(pooler.sessionUrl)).toBe(true);
    expect(await keepsSessions(pooler.url)).toBe(false);

    const env = { DATABASE_URL: pooler.url, APP_SECRET, DATABASE_POOL_SIZE: '30' };
    const dataDir = await mkdtemp(join(tmpdir(), 'wharf-pooler-'));
    const refused = await runCommand(['serve'], { ...env, PORT: '0', DATA_DIR: dataDir });
    await rm(dataDir, { recursive: true });
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringContaining('Set DATABASE_SESSION_URL'),
    ]);

    const settings = { ...env, DATABASE_SESSION_URL: direct };
    const server = await startServerProcess({ env: settings });
    try {
      const user = await signUp(server);
      const bucket = await createBucket(server, user.token, 'Pooled');
      const events: FileEvent[] = [];
      const socket = new WebSocket(
        `${server.url.replace('http', 'ws')}/ws?user_id=${user.userId}`,
        { headers: { origin: server.url, cookie: `wharf_session=${user.token}` } } as never,
      );
      socket.onmessage = ({ data }) => events.push(JSON.parse(String(data)));
      await until(async () => socket.readyState === WebSocket.OPEN);
      const bytes = await photo();
      const sent = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          sendFile(server, bucket, 'image', {}, bytes, `${index}.jpg`),
        ),
      );
      for (const { id } of sent) {
        expect(await waitForFile(server, bucket, id)).toMatchObject({ status: 'success' });
      }
      await until(async () => events.filter(({ type }) => type === 'file.success').length === 20);
      socket.close();
      const guesses = await Promise.all(
        Array.from({ length: 20 }, () =>
          user.client.post('/users/login', { email: user.email, password: 'a wrong password' }),
        ),
      );
      expect(guesses.map(({ status }) => status)).not.toContain(500);
      const audit = await fsck(server.dataDir, ['--json'], settings);
      expect([audit.status, audit.findings]).toEqual([0, []]);
      // Sessions that the pooler has opened since the server started have its settings.
      await using later = await startPgbouncer(direct);
      expect(await settingsOf(later.url)).toEqual(['off', '10s', '15s']);
      const inSessionMode = { ...env, DATABASE_URL: pooler.sessionUrl };
      expect((await fsck(server.dataDir, ['--json'], inSessionMode)).status).toBe(0);
    } finally {
      await server.stop();
      await dropDatabases([direct]);
    }
  });
});
