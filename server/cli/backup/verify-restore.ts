import { constants } from 'node:fs';
import { copyFile, link, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { databaseIn, openCopy, readObjectsIn } from '../../adapters/operator.ts';
import { createApp } from '../../app.ts';
import type { Config } from '../../config/config.ts';
import { DAY, HOUR, MINUTE } from '../../contract/limits.ts';
import { readFolder } from '../../platform/folders/read-folder.ts';
import { createLog } from '../../platform/log.ts';
import { isSystemError } from '../../platform/system-error.ts';
import { openServices } from '../../services.ts';
import { newestPublicImage } from '../doctor/store.ts';
import { auditFolder, SECRET } from './backup-folder.ts';
import { sha256Of } from './copy.ts';
import type { Manifest } from './manifest-store.ts';
import { countRows, newestRowAt } from './newest-row-store.ts';

const SCRATCH = '.verify-';
const STORAGE = 'storage';
const START_TIMEOUT_MS = MINUTE;

type VerifyParts = {
  /** The folder of a finished backup. */
  target: string;
  manifest: Manifest;
  config: Omit<Config, 'appSecret'>;
  now: number;
};

/**
 * Restores a backup into a folder inside it, and starts a server there that does no work by itself, so that
 * nothing is sent, charged or deleted. The scratch folder shares the files of the backup by hard links, and
 * is removed afterwards.
 * @returns a line for each problem, and what to tell of the copy
 */
export async function verifyRestore(
  parts: VerifyParts,
): Promise<{ problems: string[]; summary: string }> {
  await removeScratch(parts.target);
  const scratch = await mkdtemp(join(parts.target, SCRATCH));
  try {
    const problems: string[] = [];
    for (const name of [databaseIn(''), SECRET]) {
      await copyFile(join(parts.target, name), join(scratch, name));
    }
    if (!parts.manifest.isDatabase(await sha256Of(Bun.file(databaseIn(scratch))))) {
      problems.push('damaged   wharf.db: differs from what was backed up');
    }
    await linkAll(join(parts.target, STORAGE), join(scratch, STORAGE));
    const { objects, lost } = await compareObjects(scratch, parts.manifest);
    problems.push(
      ...lost,
      ...(await auditFolder(scratch)),
      ...(await startIn(scratch, parts.config)),
    );
    return { problems, summary: await describeCopy(scratch, objects, parts.now) };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Removes what a run that was killed has left. */
async function removeScratch(target: string): Promise<void> {
  for await (const { name } of readFolder(target)) {
    if (name.startsWith(SCRATCH)) await rm(join(target, name), { recursive: true, force: true });
  }
}

/** Links all files below a folder into another one. */
async function linkAll(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for await (const { name, isFolder } of readFolder(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    await (isFolder ? linkAll(source, target) : linkOrCopy(source, target));
  }
}

/** Compares restored objects with the manifest. Their bytes were read by the run that made the backup. */
async function compareObjects(folder: string, manifest: Manifest) {
  const restored = readObjectsIn(folder);
  const lost: string[] = [];
  let objects = 0;
  for (const { key, size } of manifest.entries()) {
    objects += 1;
    if ((await restored.open(key))?.size === size) continue;
    lost.push(`missing   ${key}: not restored as it was backed up`);
  }
  return { objects, lost };
}

/** Some file systems have no hard links. */
async function linkOrCopy(source: string, target: string): Promise<void> {
  try {
    await link(source, target);
  } catch (error) {
    if (!isSystemError(error, 'EPERM', 'ENOTSUP', 'EMLINK')) throw error;
    await copyFile(source, target, constants.COPYFILE_FICLONE);
  }
}

/** Starts a server on a restored folder, and requests its health and a file. Returns what failed. */
async function startIn(folder: string, config: VerifyParts['config']): Promise<string[]> {
  const restored: Config = {
    ...config,
    dataDir: folder,
    appSecret: (await Bun.file(join(folder, SECRET)).text()).trim(),
    database: { kind: 'sqlite', path: databaseIn(folder) },
    storage: { home: { kind: 'disk', root: join(folder, STORAGE) }, regions: {} },
    mail: { kind: 'outbox', folder: join(folder, 'outbox'), from: '' },
  };
  const services = await openServices(restored, { log: createLog('silent'), mediaCommand: [] });
  const app = createApp(services).listen({ port: 0, hostname: '127.0.0.1' });
  try {
    const address = `http://127.0.0.1:${app.server?.port}`;
    const signal = AbortSignal.timeout(START_TIMEOUT_MS);
    const health = (await (await fetch(`${address}/health`, { signal })).json()) as Health;
    const failed = (['database', 'storage'] as const).filter(
      (name) => health.checks[name] !== 'ok',
    );
    const problems = failed.map((name) => `failed    ${name}: the restored server can't use it`);
    const image = await newestPublicImage(services.database.db);
    if (!image) return problems;
    const path = `/cdn/${image.bucket_id}/${image.id}/${encodeURIComponent(image.entry ?? '')}`;
    const response = await fetch(`${address}${path}`, { signal });
    await response.arrayBuffer();
    if (response.ok) return problems;
    return [...problems, `failed    ${path}: delivered with ${response.status}`];
  } finally {
    await app.stop(true);
    await services.close();
  }
}

type Health = { checks: Record<'database' | 'storage', string> };

async function describeCopy(folder: string, objects: number, now: number): Promise<string> {
  const { database } = openCopy(folder);
  try {
    const { users, buckets, files } = await countRows(database.db);
    const newest = await newestRowAt(database.db);
    return `Restored into a scratch folder and started there. Accounts: ${users}, buckets: ${buckets}, files: ${files}, objects: ${objects}.
${newest === null ? 'It has no rows.' : `The newest row is ${ageOf(now - newest)} old.`}
`;
  } finally {
    await database.close();
  }
}

/** Returns a duration as text, such as '5 minutes'. */
export function ageOf(ms: number): string {
  if (ms < 2 * HOUR) return `${Math.max(0, Math.round(ms / MINUTE))} minutes`;
  return ms < 2 * DAY ? `${Math.round(ms / HOUR)} hours` : `${Math.round(ms / DAY)} days`;
}
