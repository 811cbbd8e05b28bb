import { chmod, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { lockFolder } from '../../adapters/data-dir.ts';
import {
  databaseIn,
  openCopy,
  openLiveDatabase,
  openObjectsIn,
  readObjectsIn,
  snapshotDatabase,
} from '../../adapters/operator.ts';
import { readConfig } from '../../config/config.ts';
import { OperatorError } from '../../config/operator-error.ts';
import { formatBytes } from '../../contract/units.ts';
import type { Database } from '../../platform/db/port.ts';
import { syncFolder } from '../../platform/durable.ts';
import { newId } from '../../platform/ids.ts';
import type { ObjectStore } from '../../platform/storage/port.ts';
import { ownSecret } from '../admin/own-secret.ts';
import { auditCopy } from '../fsck/audit.ts';
import { type Copied, copyAll } from './backup.ts';
import { sha256Of } from './copy.ts';
import { type Manifest, openManifest } from './manifest-store.ts';
import { MANIFEST, mustBeLocal, SECRET } from './places.ts';

/** Brings `folder` up to what the server holds. Answers 1 where the server's own state has gaps. */
export async function runBackup(args: string[]): Promise<number> {
  const { folder, isThorough } = parseBackup(args);
  const config = readConfig();
  mustBeLocal(config);
  const target = resolve(folder);
  if (`${target}/`.startsWith(`${config.dataDir}/`)) {
    throw new OperatorError(
      'A backup inside DATA_DIR would be lost with it. Choose another folder.',
    );
  }
  const database = await openLiveDatabase(config);
  try {
    const appSecret = await ownSecret(database, config);
    await makeTarget(target);
    const letGo = lockFolder(target);
    if (!letGo) throw new OperatorError(`Another backup into ${target} is already running.`);
    try {
      const { dataDir } = config;
      return await backUp({ database, dataDir, appSecret, target, isThorough });
    } finally {
      letGo();
    }
  } finally {
    await database.close();
  }
}

function parseBackup(args: string[]): { folder: string; isThorough: boolean } {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { verify: { type: 'boolean', default: false } },
  });
  const [folder] = positionals;
  if (!folder || positionals.length > 1) throw new OperatorError('Name one folder: backup DIR');
  return { folder, isThorough: values.verify };
}

/** One run: copies what is new, checks the copy, makes it the backup, and removes what the server no longer has. */
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
  // The first of it: by this a folder is known as a backup.
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
    const gaps = await gapsOf(target, unfinished);
    const databaseHash = await sha256Of(Bun.file(unfinished));
    // Killed after the renaming, the backup is the new one, and before it the one of before.
    manifest.expect(databaseHash);
    await rename(unfinished, databaseIn(target));
    await syncFolder(target);
    manifest.finish(run, databaseHash);
    const removed = await removeOthers(store, manifest, run);
    tell(target, copied, removed, gaps);
    return gaps.length === 0 ? 0 : 1;
  } finally {
    manifest.close();
  }
}

/** What a run leaves that was killed before it had made the manifest, and what a mounted disk has. */
const NOTHING_YET = /^(lock\.db(-journal)?|lost\+found)$/;

/** A folder for backups alone: what is in it and not in the manifest is removed in the end. */
async function makeTarget(target: string) {
  await mkdir(target, { recursive: true, mode: 0o700 });
  const names = await readdir(target);
  if (!names.includes(MANIFEST) && !names.every((name) => NOTHING_YET.test(name))) {
    throw new OperatorError(
      `${target} is not empty and was not created by 'wharf backup'. Choose an empty folder.`,
    );
  }
  await chmod(target, 0o700);
}

/** Whole or not at all: without it the backup of before would be worth nothing. */
async function writeSecret(target: string, secret: string) {
  const fresh = join(target, `${SECRET}.part`);
  await writeFile(fresh, secret, { mode: 0o600, flush: true });
  await rename(fresh, join(target, SECRET));
}

async function gapsOf(target: string, database: string): Promise<string[]> {
  const sources = openCopy(target, database);
  try {
    const gaps = await Array.fromAsync(auditCopy(sources, Date.now));
    return gaps.map(({ kind, subject, text }) => `${kind.padEnd(10)}${subject}: ${text}`);
  } finally {
    await sources.database.close();
  }
}

/** What an earlier backup held and this one does not. */
async function removeOthers(store: ObjectStore, manifest: Manifest, run: string): Promise<number> {
  let removed = 0;
  for await (const { key } of store.list('')) {
    if (manifest.isOf(key, run)) continue;
    await store.delete(key);
    removed += 1;
  }
  return removed;
}

function tell(target: string, copied: Copied, removed: number, gaps: string[]) {
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
