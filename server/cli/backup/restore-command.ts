import { existsSync } from 'node:fs';
import { copyFile, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { lockFolder, RESTORE_MARKER } from '../../adapters/data-dir.ts';
import { databaseIn, openObjectsIn, readObjectsIn } from '../../adapters/operator.ts';
import { readConfig } from '../../config/config.ts';
import { OperatorError } from '../../config/operator-error.ts';
import { syncFolder } from '../../platform/durable-folders.ts';
import {
  auditFolder,
  isEmptyFolder,
  MANIFEST,
  parseFolder,
  requireLocal,
  SECRET,
} from './backup-folder.ts';
import { copyObject, eachOf, sha256Of } from './copy.ts';
import { type Entry, type Manifest, openManifest } from './manifest-store.ts';

const COPY_CONCURRENCY = 4;

/**
 * Restores a backup into an empty DATA_DIR. Returns exit code 1 where objects of it are damaged or
 * missing: each of them is printed, and all others are restored.
 */
export async function runRestore(args: string[]): Promise<number> {
  const { folder } = parseFolder('restore', args);
  const { dataDir, secret, ...config } = readConfig();
  requireLocal(config);
  const from = resolve(folder);
  if (!existsSync(join(from, MANIFEST)) || !existsSync(databaseIn(from))) {
    throw new OperatorError(`${from} does not contain a finished backup.`);
  }
  await requireEmpty(dataDir);
  const manifest = openManifest(join(from, MANIFEST), { readOnly: true });
  try {
    await requireUnchanged(from, manifest);
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const unlock = lockFolder(dataDir);
    if (!unlock) throw new OperatorError(`A Wharf server is using ${dataDir}. Stop it first.`);
    try {
      // A server may have started and stopped between the first look and the lock.
      await requireEmpty(dataDir);
      const damaged = await restoreInto(from, dataDir, manifest);
      const gaps = await auditFolder(dataDir);
      for (const line of [...damaged, ...gaps]) process.stdout.write(`${line}\n`);
      await printSummary(from, dataDir, { secret, when: manifest.finished() });
      if (damaged.length + gaps.length === 0) return 0;
      process.stderr.write('Some of the backup is damaged: see the list above.\n');
      return 1;
    } finally {
      unlock();
    }
  } finally {
    manifest.close();
  }
}

/**
 * Copies all of a backup. Until it is complete, a file in DATA_DIR keeps a server from starting on
 * it.
 */
async function restoreInto(from: string, dataDir: string, manifest: Manifest): Promise<string[]> {
  await writeFile(join(dataDir, RESTORE_MARKER), '', { flush: true });
  await syncFolder(dataDir);
  const damaged = await copyObjects(from, dataDir, manifest);
  await copyDurably(databaseIn(from), databaseIn(dataDir));
  await copyDurably(join(from, SECRET), join(dataDir, SECRET));
  await rm(join(dataDir, RESTORE_MARKER));
  await syncFolder(dataDir);
  return damaged;
}

async function requireEmpty(dataDir: string) {
  if (await isEmptyFolder(dataDir)) return;
  throw new OperatorError(`DATA_DIR ${dataDir} is not empty. Restore into an empty folder.`);
}

async function requireUnchanged(from: string, manifest: Manifest) {
  if (manifest.isDatabase(await sha256Of(Bun.file(databaseIn(from))))) return;
  throw new OperatorError(
    `The database in ${from} has changed since it was backed up. Nothing was restored.`,
  );
}

async function copyObjects(from: string, dataDir: string, manifest: Manifest): Promise<string[]> {
  const source = readObjectsIn(from);
  const target = await openObjectsIn(dataDir);
  const damaged: string[] = [];
  await eachOf(manifest.entries(), COPY_CONCURRENCY, async ({ key, sha256 }: Entry) => {
    const copy = await copyObject(source, target, key);
    if (copy?.sha256 === sha256) return;
    if (copy) await target.delete(key);
    damaged.push(
      `damaged   ${key}: ${copy ? 'differs from what was backed up' : 'missing from the backup'}`,
    );
  });
  return damaged;
}

async function copyDurably(from: string, to: string) {
  await copyFile(from, to);
  const handle = await open(to, 'r+');
  try {
    await handle.chmod(0o600);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function printSummary(
  from: string,
  dataDir: string,
  { secret, when }: { secret: string | null; when: string | null },
) {
  process.stderr.write(
    `Restored ${from}${when ? ` as of ${when}` : ''} into ${dataDir}. You can start the server.\n`,
  );
  process.stderr.write(
    'If payments are enabled, run wharf payments reconcile --since with the day of the backup.\n',
  );
  const restored = (await Bun.file(join(dataDir, SECRET)).text()).trim();
  if (secret && secret !== restored) {
    process.stderr.write(
      'APP_SECRET differs from the secret in the backup. Unset it, or existing sessions, keys and tokens stop working.\n',
    );
  }
}
