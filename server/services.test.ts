import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServerInProcess } from '../tests/support/server/in-process-server.ts';
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
