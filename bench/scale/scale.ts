import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MINUTE, SECOND } from '../../server/contract/limits.ts';
import { atExit } from '../../tests/support/server/at-exit.ts';
import { loadAverages } from '../measurement.ts';
import type { PartOptions } from '../targets.ts';
import { type Figures, measureProgram } from './measure-program.ts';
import { printPhase, reportFigures } from './report-figures.ts';
import { type Seeded, seedScale } from './seed.ts';
import { createPostgresStore, createSqliteStore, type SeededStore } from './seeded-stores.ts';
import { type ScaleSize, sizeOf } from './size.ts';
import { slowDisk } from './slow-disk.ts';

const FILES = 1_000_000;
const QUICK_FILES = 50_000;
/** Within this time a program has to charge, to roll up and to delete. */
const MAX_WORK_MINUTES = { full: 30, quick: 3 };

/**
 * Measures what one big bucket and very many accounts do to a server: how soon it answers, how long its
 * event loop stands still in each phase, and how a GET of 1 KiB, an upload and a list fare meanwhile.
 */
export async function reportScale(options: PartOptions): Promise<void> {
  const { isQuick, program: other, scale, judge } = options;
  const size = sizeOf(scale.files ?? (isQuick ? QUICK_FILES : FILES));
  const folder = await mkdtemp(join(tmpdir(), 'wharf-scale-'));
  const forget = atExit(() => rmSync(folder, { recursive: true, force: true }));
  try {
    const disk = scale.isSlowDisk ? slowDisk(folder) : {};
    if (!disk) {
      console.log('--slow-disk needs a C compiler (Debian: apt install gcc), so scale is skipped.');
      return;
    }
    const store = await (scale.isOnPostgres ? createPostgresStore() : createSqliteStore(folder));
    console.log(
      `on ${scale.isOnPostgres ? 'PostgreSQL' : 'SQLite'}${scale.isSlowDisk ? ', with 20 ms more for each fsync' : ''}`,
    );
    const seeded = await seedStore(store, size);
    const figures: Figures[] = [];
    for (const program of other ? [[other], undefined] : [undefined]) {
      console.log(`\n${program?.[0] ?? 'this version'}: ${loadAverages()}`);
      figures.push(await measure(options, { store, size, seeded, folder, program, disk }));
    }
    reportFigures(figures, judge, scale.isOnPostgres ? 'postgres' : 'sqlite');
  } finally {
    forget();
    await rm(folder, { recursive: true, force: true });
  }
}

async function seedStore(store: SeededStore, size: ScaleSize): Promise<Seeded> {
  const started = performance.now();
  const database = store.open();
  try {
    const seeded = await seedScale(database, size, Date.now());
    const seconds = ((performance.now() - started) / SECOND).toFixed(0);
    console.log(
      `seeded a bucket of ${size.files} files, ${size.accounts} accounts with a bucket each (${size.activeBuckets} active), ${size.auditEntries} audit entries and ${size.finishedJobs} finished jobs in ${seconds} s`,
    );
    return seeded;
  } finally {
    await database.close();
  }
}

async function measure(
  { isQuick, minutes }: PartOptions,
  target: {
    store: SeededStore;
    size: ScaleSize;
    seeded: Seeded;
    folder: string;
    program: string[] | undefined;
    disk: Record<string, string>;
  },
): Promise<Figures> {
  const { store, size, seeded, folder, program, disk } = target;
  const dataDir = join(folder, 'data');
  await mkdir(dataDir, { mode: 0o700 });
  const { env, open } = await store.copy(dataDir);
  const mostMinutes = Math.min(minutes, MAX_WORK_MINUTES[isQuick ? 'quick' : 'full']);
  const scene = { size, seeded, program, dataDir, env: { ...env, ...disk }, open };
  const times = { phaseMs: (isQuick ? 5 : 15) * SECOND, maxWorkMs: mostMinutes * MINUTE };
  const figures = await measureProgram({ ...scene, ...times }, printPhase);
  await rm(dataDir, { recursive: true });
  return figures;
}
