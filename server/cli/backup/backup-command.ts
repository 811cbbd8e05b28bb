import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { lockFolder } from '../../adapters/data-dir.ts';
import {
  databaseIn,
  openLiveDatabase,
  openObjectsIn,
  readObjectsIn,
  snapshotDatabase,
} from '../../adapters/operator.ts';
import { readConfig } from '../../config/config.ts';
import { OperatorError } from '../../config/operator-error.ts';
import { formatBytes } from '../../contract/units.ts';
import { record } from '../../platform/audit/record.ts';
import type { Database } from '../../platform/db/port.ts';
import { syncFolder } from '../../platform/durable-folders.ts';
import { newId } from '../../platform/ids.ts';
import type { ObjectStore } from '../../platform/storage/port.ts';
import { requireConfiguredSecret, writeSecret } from '../admin/configured-secret.ts';
import { type Copied, copyAll } from './backup.ts';
import {
  auditFolder,
  isEmptyFolder,
  MANIFEST,
  parseFolder,
  requireLocal,
  SECRET,
} from './backup-folder.ts';
import { sha256Of } from './copy.ts';
import { type Manifest, openManifest } from './manifest-store.ts';
import { verifyRestore } from './verify-restore.ts';

/**
 * Brings a folder up to what the server holds. Returns exit code 1 where the server's own data has
 * gaps.
 */
export async function runBackup(args: string[]): Promise<number> {
  const { folder, isThorough } = parseFolder('backup', args);
  const config = readConfig();
  requireLocal(config);
  const target = resolve(folder);
  if (`${target}/`.startsWith(`${config.dataDir}/`)) {
    throw new OperatorError(
      'A backup inside DATA_DIR would be lost with it. Choose another folder.',
    );
  }
  const database = await openLiveDatabase(config);
  try {
    const appSecret = await requireConfiguredSecret(database, config);
    await prepareTarget(target);
    const unlock = lockFolder(target);
    if (!unlock) throw new OperatorError(`Another backup into ${target} is already running.`);
    try {
      const { dataDir } = config;
      const status = await backUp({ database, dataDir, appSecret, target, isThorough });
      return isThorough ? Math.max(status, await proveRestore(target, config)) : status;
    } finally {
      unlock();
    }
  } finally {
    await database.close();
  }
}

/**
 * One run: copies what is new, checks the copy, makes it the backup, and removes what the server no
 * longer has.
 */
async function backUp({
  database,
  dataDir,
  appSecret,
  target,
  isThorough,
}: {
  database: Database;
  dataDir: string;
  appSecret: string;
  target: string;
  isThorough: boolean;
}): Promise<number> {
  // The manifest is created first: later runs know a folder of backups by it.
  const manifest = openManifest(join(target, MANIFEST));
  const store = await openObjectsIn(target);
  const run = newId(Date.now());
  const unfinished = `${databaseIn(target)}.part`;
  const snapshot = () => snapshotDatabase(dataDir, unfinished);
  try {
    await rm(unfinished, { force: true });
    const objects = readObjectsIn(dataDir);
    const sources = { database, objects, target: store, manifest, snapshot };
    const copied = await copyAll(sources, run, { isThorough });
    await writeSecret(target, appSecret);
    const gaps = await auditFolder(target, unfinished);
    const databaseHash = await sha256Of(Bun.file(unfinished));
    // The rename decides: a run that is killed before it leaves the earlier backup, after it the
    // new one.
    manifest.expect(databaseHash);
    await rename(unfinished, databaseIn(target));
    await syncFolder(target);
    manifest.finish(run, databaseHash);
    const removed = await removeOthers(store, manifest, run);
    printSummary(target, copied, removed, gaps);
    await recordBackup(database, copied);
    return gaps.length === 0 ? 0 : 1;
  } finally {
    manifest.close();
  }
}

/** Records the backup where the admin area finds it. The backup is made already, so a failure to say so changes nothing. */
async function recordBackup(database: Database, { objects }: Copied): Promise<void> {
  const entry = { section: 'system', action: 'backup.made', actor: 'system' } as const;
  await record(database.db, Date.now(), {
    ...entry,
    message: `Backup made of the database and ${objects} objects.`,
  }).catch((error) => process.stderr.write(`The backup could not be recorded: ${error}\n`));
}

/** Restores what was backed up into a scratch folder, and starts it. Returns exit code 1 if it fails. */
async function proveRestore(
  target: string,
  config: ReturnType<typeof readConfig>,
): Promise<number> {
  const manifest = openManifest(join(target, MANIFEST), { readOnly: true });
  try {
    const { problems, summary } = await verifyRestore({
      target,
      manifest,
      config,
      now: Date.now(),
    });
    for (const problem of problems) process.stdout.write(`${problem}\n`);
    process.stderr.write(summary);
    return problems.length === 0 ? 0 : 1;
  } finally {
    manifest.close();
  }
}

/**
 * Makes the folder, for backups alone: at the end of a run everything that is not in the manifest
 * is removed.
 */
async function prepareTarget(target: string) {
  await mkdir(target, { recursive: true, mode: 0o700 });
  const isBackup = (await readdir(target)).includes(MANIFEST);
  if (!isBackup && !(await isEmptyFolder(target))) {
    throw new OperatorError(
      `${target} is not empty and was not created by 'wharf backup'. Choose an empty folder.`,
    );
  }
  await chmod(target, 0o700);
}

/** Removes the objects that only earlier runs have copied. Returns how many there were. */
async function removeOthers(store: ObjectStore, manifest: Manifest, run: string): Promise<number> {
  let removed = 0;
  for await (const { key } of store.list('')) {
    if (manifest.isOf(key, run)) continue;
    await store.delete(key);
    removed += 1;
  }
  return removed;
}

function printSummary(target: string, copied: Copied, removed: number, gaps: string[]) {
  for (const gap of gaps) process.stdout.write(`${gap}\n`);
  process.stderr.write(`${target} contains the database and ${copied.objects} objects, ${formatBytes(copied.bytes)}.
Copied in this run: ${copied.fresh} objects, ${formatBytes(copied.freshBytes)}. Removed because the server no longer has them: ${removed}.
${join(target, SECRET)} decrypts its data: keep this folder as private as the server.
Not included: emails waiting to be sent, and files being encoded.
`);
  if (gaps.length > 0) {
    process.stderr.write(
      'The backup is complete, but the server itself is missing what is listed above.\n',
    );
  }
}
