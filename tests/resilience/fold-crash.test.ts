import { afterAll, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { createBucket, form, signUp } from '../support/client/api.ts';
import { until } from '../support/client/wait.ts';
import { rounds } from '../support/fixtures/torture.ts';
import { fsck } from '../support/server/command.ts';
import { dropDatabases, migratedDatabase } from '../support/server/engines.ts';
import { type ServerProcess, startServerProcess } from '../support/server/server-process.ts';
import { startPostgres } from '../support/services/postgres.ts';

/*
 * kill -9 of a process that adds up usage, in the middle of it: nothing is counted twice, and nothing is left out.
 */

const KILLS = rounds(6, 2);
const FILES_PER_KILL = 8;
const BYTES = 1000;

const postgres = await startPostgres();
let server: ServerProcess | undefined;
afterAll(() => server?.stop());

test.skipIf(!postgres)('a kill while usage is added up changes no total', async () => {
  const url = await migratedDatabase(postgres?.url ?? '');
  await using sql = new SQL(url, { max: 3 });
  const env = { DATABASE_URL: url, APP_SECRET: crypto.randomUUID() };
  server = await startServerProcess({ isQuick: true, env });
  const { url: origin, dataDir } = server;
  const user = await signUp(server);
  const bucket = await createBucket(server, user.token);

  let stored = 0;
  const upload = async () => {
    const response = await fetch(`${origin}/files/upload/file/${bucket.id}`, {
      method: 'POST',
      headers: { 'x-api-key': bucket.api_key },
      body: form({}, new Blob([new Uint8Array(BYTES)]), 'a.bin'),
    });
    expect(response.status).toBe(201);
    stored += 1;
  };
  const unfolded = async () => (await sql`select id from usage_changes`).length;
  const isFolding = async () =>
    (
      await sql`select from pg_locks where not granted and pid in
        (select pid from pg_stat_activity where datname = current_database())`
    ).length > 0;
  const totals = async () => {
    const [row] = await sql`select usage, total_uploads from buckets where id = ${bucket.id}`;
    const [days] = await sql`select sum(stored) as stored, sum(uploaded) as uploaded,
      sum(kept) as kept from usage_days where bucket_id = ${bucket.id}`;
    return [row, days].map((values) =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)])),
    );
  };

  await upload();
  await until(async () => (await unfolded()) === 0);
  for (let round = 0; round < KILLS; round += 1) {
    // Days are the last that a fold writes: by then it has taken the changes, and counted them in the bucket.
    const held = await sql.reserve();
    await held`begin`;
    await held`lock table usage_days in share mode`;
    await Promise.all(Array.from({ length: FILES_PER_KILL }, upload));
    await until(isFolding);
    process.kill(server.pid(), 'SIGKILL');
    await held`rollback`;
    held.release();
    await server.restart('SIGKILL');
    await until(async () => (await unfolded()) === 0);
    const bytes = stored * BYTES;
    expect(await totals()).toEqual([
      { usage: bytes, total_uploads: stored },
      { stored: bytes, uploaded: bytes, kept: bytes },
    ]);
    expect(await fsck(dataDir, ['--json'], env)).toMatchObject({ findings: [], status: 0 });
  }
  await server.stop();
  server = undefined;
  await sql.close();
  await dropDatabases([url]);
});
