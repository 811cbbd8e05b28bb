import { KIB, MINUTE } from '../../server/contract/limits.ts';
import { createBucket, uploadImage } from '../../tests/support/client/api.ts';
import {
  type ServerProcess,
  startServerProcess,
} from '../../tests/support/server/server-process.ts';
import { makeImage } from '../fixtures.ts';
import { addBlobs } from './blobs.ts';
import {
  type AnswerTimes,
  deleteBucket,
  filteredLists,
  logIn,
  requestAll,
  SEARCHES,
  uploadSmall,
} from './loads.ts';
import { areObjectsDeleted, seedObjects } from './objects.ts';
import { areDaysRolledUp, isCharged, leaveCharges, leaveDays } from './overdue.ts';
import type { ScaleDatabase } from './scale-database.ts';
import { OWNER, type Seeded } from './seed.ts';
import type { ScaleSize } from './size.ts';
import { METRICS_TOKEN, type Watched, watch } from './watch.ts';

const START_TIMEOUT_MS = 15 * MINUTE;
const POLL_INTERVAL_MS = 250;

export type Scene = {
  size: ScaleSize;
  seeded: Seeded;
  /** A command that starts the program to measure; undefined for the one that was built. */
  program: string[] | undefined;
  dataDir: string;
  env: Record<string, string>;
  /** Opens the database of the program. */
  open: () => ScaleDatabase;
  /** How long each short phase lasts, and how long charging, rolling up and deleting may take at most. */
  phaseMs: number;
  maxWorkMs: number;
};

export type PhaseName =
  | 'quiet'
  | 'filtered lists'
  | 'admin search'
  | 'small images'
  | 'small files'
  | 'charging'
  | 'daily roll-up'
  | 'bucket deletion'
  | 'object deletion';

/** Times are in milliseconds. */
export type Figures = {
  /** From the start to the first answer: as seeded, with charges due, with a day to roll up. */
  firstAnswer: number;
  firstAnswerCharges: number;
  firstAnswerDay: number;
  phases: Map<PhaseName, Watched>;
  lists: AnswerTimes;
  searches: AnswerTimes;
  imagesPerSecond: number;
  /** NaN in programs that take images and videos only. */
  filesPerSecond: number;
  deletionAnswer: number;
  /** The phases whose work did not end in time. */
  unfinished: PhaseName[];
};

/** Runs all phases against one program, on its own copy of the seeded data. `print` is called after each. */
export async function measureProgram(
  scene: Scene,
  print: (name: PhaseName, watched: Watched) => void,
): Promise<Figures> {
  const { size, seeded, program, dataDir, env } = scene;
  await seedObjects(dataDir, seeded, size.objects);
  const server = await startServerProcess({
    ...(program && { program }),
    dataDir,
    env: { ADMIN_EMAIL: OWNER.email, METRICS_TOKEN, LOG_LEVEL: 'error', ...env },
    startTimeoutMs: START_TIMEOUT_MS,
  });
  try {
    return await measureServer(server, scene, print);
  } finally {
    await server.stop().catch((error) => console.error(String(error)));
  }
}

async function measureServer(
  server: ServerProcess,
  scene: Scene,
  print: (name: PhaseName, watched: Watched) => void,
): Promise<Figures> {
  const { size, seeded, dataDir, phaseMs } = scene;
  const { owner, bucket, url } = await prepare(server);
  const phases: Figures['phases'] = new Map();
  const phase = async <Result>(name: PhaseName, work: () => Promise<Result>): Promise<Result> => {
    const { result, watched } = await watch(server, url, work, phaseMs);
    phases.set(name, watched);
    print(name, watched);
    return result;
  };
  const unfinished: PhaseName[] = [];
  const work = async (name: PhaseName, isDone: Condition) => {
    if (!(await waitFor(scene, isDone))) unfinished.push(name);
  };
  const ask = (paths: string[]) => requestAll(server, owner, paths, phaseMs);

  const started = (name: string) => {
    console.log(`${name.padEnd(32)}${server.startupTime().toFixed(0)} ms`);
    return server.startupTime();
  };

  await restartWith(server, scene, addBlobs);
  const firstAnswer = started('first answer');
  await phase('quiet', () => Bun.sleep(phaseMs));
  const lists = await phase('filtered lists', () => ask(filteredLists(seeded.bucketId)));
  const searches = await phase('admin search', () => ask(SEARCHES));
  const upload = (kind: 'file' | 'image') => uploadSmall(server, bucket, kind, phaseMs);
  const imagesPerSecond = await phase('small images', () => upload('image'));
  console.log(`${'images a second'.padEnd(32)}${imagesPerSecond.toFixed(1)}`);
  // Processing these images is not part of any phase.
  await waitFor(scene, areJobsDone);
  const filesPerSecond = await phase('small files', () => upload('file'));
  console.log(`${'files a second'.padEnd(32)}${filesPerSecond.toFixed(1)}`);

  await restartWith(server, scene, (database) => leaveCharges(database, size, Date.now()));
  const firstAnswerCharges = started('first answer, charges due');
  await phase('charging', () => work('charging', isCharged));
  await restartWith(server, scene, (database) => leaveDays(database, size, Date.now()));
  const firstAnswerDay = started('first answer, a day due');
  await phase('daily roll-up', () => work('daily roll-up', areDaysRolledUp));
  const deletionAnswer = await phase('bucket deletion', async () => {
    const answer = await deleteBucket(server, owner, seeded.bucketId);
    await work('bucket deletion', isDeleted(seeded.bucketId));
    return answer;
  });
  await phase('object deletion', () =>
    work('object deletion', async () => areObjectsDeleted(dataDir, seeded)),
  );
  const starts = { firstAnswer, firstAnswerCharges, firstAnswerDay };
  const answers = { lists, searches, imagesPerSecond, filesPerSecond, deletionAnswer };
  return { ...starts, ...answers, phases, unfinished };
}

/** Logs the owner in, and creates a bucket for uploads with the small file that every phase requests. */
async function prepare(server: ServerProcess) {
  const owner = await logIn(server);
  const bucket = await createBucket(server, owner.token, 'Uploads');
  const image = new File([await makeImage(KIB)], 'small.jpg');
  const { url } = await uploadImage(server, bucket, image);
  if (!url) throw new Error('The small file has no URL.');
  return { owner, bucket, url };
}

type Condition = (database: ScaleDatabase, now: number) => Promise<boolean>;

const areJobsDone: Condition = async (database) =>
  (await database.count(`select count(*) from jobs where state in ('queued', 'running')`)) === 0;

/** Whether a bucket is gone with its files. */
const isDeleted =
  (bucketId: string): Condition =>
  async (database) =>
    (await database.count(`select count(*) from buckets where id = '${bucketId}'`)) === 0;

/** Waits for a condition. Returns false where it is not met in time. */
async function waitFor({ open, maxWorkMs }: Scene, isMet: Condition): Promise<boolean> {
  const database = open();
  const started = Date.now();
  try {
    while (!(await isMet(database, started))) {
      if (Date.now() - started > maxWorkMs) return false;
      await Bun.sleep(POLL_INTERVAL_MS);
    }
    return true;
  } finally {
    await database.close();
  }
}

/** Kills the server, because its work may take longer than a stop waits for, and starts it after `change`. */
function restartWith(
  server: ServerProcess,
  { open }: Scene,
  change: (database: ScaleDatabase) => Promise<void>,
): Promise<void> {
  return server.restart('SIGKILL', async () => {
    const database = open();
    await change(database);
    await database.close();
  });
}
