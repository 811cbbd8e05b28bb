import { describe, expect, spyOn, test } from 'bun:test';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeWorkFolder } from '../media/work-folder.ts';
import { freshDatabase } from '../tests/support/server/engines.ts';
import { startServerInProcess } from '../tests/support/server/in-process-server.ts';
import { type OwnPostgres, startOwnPostgres } from '../tests/support/services/postgres.ts';
import { scheduleDelete } from './platform/storage/pending-deletes-store.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const LATER = NOW + 1000;

test('a start discards what a dead process was storing, and nothing of its first requests', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'wharf-start-'));
  const options = { dataDir, clock: () => NOW };
  const dead = await startServerInProcess({}, options);
  await scheduleDelete(dead.db, 'o/dead/', LATER);
  await dead.stop();
  const server = await startServerInProcess(
    {},
    {
      ...options,
      onListening: ({ database }) => scheduleDelete(database.db, 'o/first/', LATER),
    },
  );
  await server.services.housekeeping.round();
  const left = await server.db
    .selectFrom('pending_deletes')
    .select(['prefix', 'not_before'])
    .execute();
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
  expect(left.find(({ prefix }) => prefix === 'o/first/')?.not_before).toBe(LATER);
  expect(left.find(({ prefix }) => prefix === 'o/dead/')?.not_before).not.toBe(LATER);
});

const postgres = await startOwnPostgres();
describe.skipIf(!postgres)('beside other processes', () => {
  const own = postgres as OwnPostgres;
  const settings = async () => ({
    DATABASE_URL: await freshDatabase(own.url),
    APP_SECRET: 'of the tests, and of nothing else',
  });

  test('a start removes the folder of a killed decoder, and none that is in use', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'wharf-start-'));
    const workDir = join(dataDir, 'work');
    await mkdir(join(workDir, 'job-of-the-dead'), { recursive: true });
    const used = await makeWorkFolder(workDir);
    const server = await startServerInProcess(await settings(), { dataDir });
    const left = (await readdir(workDir)).map((name) => join(workDir, name));
    await server.stop();
    await used.remove();
    await rm(dataDir, { recursive: true, force: true });
    expect(left.sort()).toEqual([used.path, `${used.path}.lock`]);
  });

  test('a start goes on after the database was away in the middle of it', async () => {
    const hasFailed = Promise.withResolvers<unknown>();
    const isAway = Promise.withResolvers<void>();
    const back = Promise.withResolvers<void>();
    const server = await startServerInProcess(await settings(), {
      async onListening({ imports }) {
        // The first step that asks the database.
        const resume = imports.resume.bind(imports);
        spyOn(imports, 'resume').mockImplementation((...options) =>
          resume(...options).catch((error) => {
            hasFailed.resolve(error);
            throw error;
          }),
        );
        const meanwhile = () => {
          isAway.resolve();
          return hasFailed.promise;
        };
        own.crash(meanwhile).then(back.resolve, back.reject);
        await isAway.promise;
      },
    });
    await back.promise;
    const health = await fetch(`${server.url}/health`);
    await server.stop();
    expect(await hasFailed.promise).toMatchObject({ code: 'unavailable' });
    expect(health.status).toBe(200);
  });
});
