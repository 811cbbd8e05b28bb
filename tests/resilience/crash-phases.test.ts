import { afterAll, beforeAll, expect, test } from 'bun:test';
import { seeded } from '../../media/testing/mutations.ts';
import { until } from '../support/client/wait.ts';
import { isTorture, rounds } from '../support/fixtures/torture.ts';
import { fsck } from '../support/server/command.ts';
import { type ServerProcess, startServerProcess } from '../support/server/server-process.ts';
import { accountClosing } from './phases/account-closing.ts';
import { dailyCharging } from './phases/daily-charging.ts';
import { EVICTION_SETTINGS, eviction } from './phases/eviction.ts';
import { expiryByPrefix } from './phases/expiry-by-prefix.ts';
import { folderJobs } from './phases/folder-jobs.ts';
import { pendingDeletes } from './phases/pending-deletes.ts';
import type { Phase } from './phases/phase.ts';
import { rollUp } from './phases/roll-up.ts';
import { BUCKET, Scene, USER } from './phases/scene.ts';
import { trims } from './phases/trims.ts';

const KILLS_PER_PHASE = rounds(10, 1);
/** After the first sign of the work, in milliseconds. It takes some hundred. */
const MAX_DELAY_MS = isTorture ? 100 : 0;
const KEPT_FILES = 20;
/** A job that is interrupted again and again waits some minutes before it goes on. */
const TIMEOUT_SECONDS = 540;
const random = seeded(11);

/** A job that is interrupted twice waits for 15 s, so accounts come last. */
const PHASES = [
  ...[rollUp(), pendingDeletes(), dailyCharging(), trims(), eviction(), expiryByPrefix()],
  folderJobs('move', 'move'),
  folderJobs('copy', 'copy'),
  folderJobs('delete', 'deletion'),
  accountClosing(),
];

let server: ServerProcess;
let keptFiles: string[];

afterAll(() => server?.stop());
beforeAll(async () => {
  server = await startServerProcess({ isQuick: true, env: EVICTION_SETTINGS });
  using scene = new Scene(server.dataDir);
  scene.addAccounts([USER]);
  scene.addBucket(BUCKET, USER);
  keptFiles = scene.addFiles(BUCKET, KEPT_FILES, true);
});

/**
 * Leaves work of a phase to the server and kills it as soon as it has begun. Returns false where all was done
 * before the kill, as on a busy machine.
 */
async function killDuring(phase: Phase): Promise<boolean> {
  let all = 0;
  await server.restart('SIGKILL', async () => {
    using scene = new Scene(server.dataDir);
    phase.leaveWork(scene);
    all = phase.countLeft(scene);
  });
  using scene = new Scene(server.dataDir);
  while (phase.countLeft(scene) >= all) await Bun.sleep(1);
  await Bun.sleep(random() * MAX_DELAY_MS);
  process.kill(server.pid(), 'SIGKILL');
  return phase.countLeft(scene) > 0;
}

test('kill -9 in each phase of long work', async () => {
  for (let round = 0; round < KILLS_PER_PHASE; round += 1) {
    for (const phase of PHASES) while (!(await killDuring(phase)));
  }
  await server.restart('SIGKILL');
});

test.each(PHASES)('$name is completed, and nothing is done twice', async (phase) => {
  using scene = new Scene(server.dataDir);
  await until(async () => phase.countLeft(scene) === 0, TIMEOUT_SECONDS);
  scene.database.transaction(() => phase.check(scene))();
});

test('nothing else is lost, no job has failed, and the audit finds nothing', async () => {
  using scene = new Scene(server.dataDir);
  const files = scene.texts(`select id from files where bucket_id = '${BUCKET}'`);
  expect(keptFiles.filter((id) => !files.has(id))).toEqual([]);
  expect(scene.texts("select error from jobs where state = 'failed'")).toEqual(new Set());
  expect(await fsck(server.dataDir)).toMatchObject({ findings: [], status: 0 });
});
