import { readlinkSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY } from '../../contract/limits.ts';
import { isSystemError } from '../system-error.ts';

/**
 * Distinguishes this process from an earlier one with the same process id, which is always 1 in a
 * container.
 */
const incarnation = crypto.randomUUID().slice(0, 8);

/**
 * The namespace of process ids. Containers that share a folder each have their own: an id of one container
 * belongs to nobody, or to another process, in the next.
 */
const space = spaceOf();
const IN_SPACE = /^\d+-\w+-in(\d+)-/;

function spaceOf(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

/** Returns a new path in a folder of temporary files, with its owner's process id in the name. */
export function temporaryPath(folder: string): string {
  return join(folder, `${process.pid}-${incarnation}-in${space}-${crypto.randomUUID()}`);
}

/**
 * Removes the files of processes that have died. The web and the media process share the folder, so the
 * files of running processes stay. A new process may have got the id of a dead one, and nothing is known
 * about processes of other containers; therefore files that have not changed for a day are removed as well.
 * @param now epoch milliseconds
 * @param how `isOnlyProcess`: no server in another container uses this folder
 */
export async function deleteStaleTemporaryFiles(
  folder: string,
  now: number,
  how: { isOnlyProcess?: boolean } = {},
): Promise<void> {
  for await (const path of findStaleTemporaryFiles(folder, now, how)) {
    await rm(path, { recursive: true, force: true });
  }
}

/** Yields the paths that `deleteStaleTemporaryFiles` would remove. */
export async function* findStaleTemporaryFiles(
  folder: string,
  now: number,
  { isOnlyProcess = false }: { isOnlyProcess?: boolean } = {},
): AsyncGenerator<string> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const [pid, owner] = name.split('-');
    const mine = owner === incarnation;
    const where = IN_SPACE.exec(name)?.[1] ?? space;
    const isInUse =
      where === space ? Number(pid) !== process.pid && isRunning(Number(pid)) : !isOnlyProcess;
    if (mine || (isInUse && !(await isOld(path, now)))) continue;
    yield path;
  }
}

function isRunning(pid: number) {
  if (!(pid > 0)) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return isSystemError(error, 'EPERM');
  }
}

async function isOld(path: string, now: number) {
  // The link of an object in a slot leads nowhere.
  const stats = await lstat(path).catch(() => null);
  return stats !== null && now - stats.mtimeMs > DAY;
}
