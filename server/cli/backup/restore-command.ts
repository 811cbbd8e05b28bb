import { existsSync } from 'node:fs';
import { copyFile, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { lockFolder, UNFINISHED } from '../../adapters/data-dir.ts';
import { databaseIn, openCopy, openObjectsIn, readObjectsIn } from '../../adapters/operator.ts';
import { readConfig } from '../../config/config.ts';
import { OperatorError } from '../../config/operator-error.ts';
import { syncFolder } from '../../platform/durable.ts';
import { auditCopy } from '../fsck/audit.ts';
import { copyObject, eachOf, sha256Of } from './copy.ts';
import { type Entry, type Manifest, openManifest } from './manifest-store.ts';
import { isEmptyFolder, MANIFEST, mustBeLocal, SECRET } from './places.ts';

const AT_A_TIME = 4;

/**
 * Puts a backup into an empty DATA_DIR. Answers 1 where an object of it is damaged or missing: all
 * others are there then, and each that is not is named.
 */
export async function runRestore(args: string[]): Promise<number> {
  const { positionals } = parseArgs({ args, allowPositionals: true });
  const [folder] = positionals;
  if (!folder || positionals.length > 1) throw new OperatorError('Name one folder: restore DIR');
  const { dataDir, secret, ...config } = readConfig();
  mustBeLocal(config);
  const from = resolve(folder);
  if (!existsSync(join(from, MANIFEST)) || !existsSync(databaseIn(from))) {
    throw new OperatorError(`${from} does not contain a finished backup.`);
  }
  await mustBeEmpty(dataDir);
  const manifest = openManifest(join(from, MANIFEST), { readOnly: true });
  try {
    await mustBeSound(from, manifest);
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const letGo = lockFolder(dataDir);
    if (!letGo) throw new OperatorError(`A Wharf server is using ${dataDir}. Stop it first.`);
    try {
      // A server may have come and gone since it was looked at.
      await mustBeEmpty(dataDir);
      await writeFile(join(dataDir, UNFINISHED), '', { flush: true });
      await syncFolder(dataDir);
      const damaged = await copyObjects(from, dataDir, manifest);
      await copyDurably(databaseIn(from), databaseIn(dataDir));
      await copyDurably(join(from, SECRET), join(dataDir, SECRET));
      await rm(join(dataDir, UNFINISHED));
      await syncFolder(dataDir);
      const gaps = await gapsOf(dataDir);
      for (const line of [...damaged, ...gaps]) process.stdout.write(`${line}\n`);
      await tell(from, dataDir, { secret, when: manifest.finished() });
      if (damaged.length + gaps.length === 0) return 0;
      process.stderr.write('Some of the backup is damaged: see the list above.\n');
      return 1;
    } finally {
      letGo();
    }
  } finally {
    manifest.close();
  }
}

async function mustBeEmpty(dataDir: string) {
  if (await isEmptyFolder(dataDir)) return;
  throw new OperatorError(`DATA_DIR ${dataDir} is not empty. Restore into an empty folder.`);
}

async function mustBeSound(from: string, manifest: Manifest) {
  if (manifest.isDatabase(await sha256Of(Bun.file(databaseIn(from))))) return;
  throw new OperatorError(
    `The database in ${from} has changed since it was backed up. Nothing was restored.`,
  );
}

async function copyObjects(from: string, dataDir: string, manifest: Manifest): Promise<string[]> {
  const source = readObjectsIn(from);
  const target = await openObjectsIn(dataDir);
  const damaged: string[] = [];
  await eachOf(manifest.entries(), AT_A_TIME, async ({ key, sha256 }: Entry) => {
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

async function gapsOf(dataDir: string): Promise<string[]> {
  const sources = openCopy(dataDir);
  try {
    const gaps = await Array.fromAsync(auditCopy(sources, Date.now));
    return gaps.map(({ kind, subject, text }) => `${kind.padEnd(10)}${subject}: ${text}`);
  } finally {
    await sources.database.close();
  }
}

async function tell(
  from: string,
  dataDir: string,
  { secret, when }: { secret: string | null; when: string | null },
) {
  process.stderr.write(
    `Restored ${from}${when ? ` as of ${when}` : ''} into ${dataDir}. You can start the server.\n`,
  );
  const kept = (await Bun.file(join(dataDir, SECRET)).text()).trim();
  if (secret && secret !== kept) {
    process.stderr.write(
      'APP_SECRET differs from the secret in the backup. Unset it, or existing sessions, keys and tokens stop working.\n',
    );
  }
}
