import { readlinkSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY } from '../../contract/limits.ts';
import { isSystemError } from '../system-error.ts';

/** Tells this process from an earlier one with the same id: in a container that is always 1. */
const incarnation = crypto.randomUUID().slice(0, 8);

/**
 * Names where process ids mean what they mean here. Containers that share a folder each have ids of
 * their own: what is alive in one is nobody, or somebody else, in another.
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

/** A new path in a folder of temporary files, with its owner's process id in the name. */
export function temporaryPath(folder: string): string {
  return join(folder, `${process.pid}-${incarnation}-in${space}-${crypto.randomUUID()}`);
}

/**
 * Removes what processes that no longer live left in the folder. The web and the media process
 * share it, so what a live one writes stays. A stranger may have got a dead one's id, and of those
 * in other containers nothing is known: what nobody has touched for a day goes as well.
 * @param now epoch milliseconds
 * @param how `isOnlyProcess`: no other container's server works in this folder
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

/** The paths that `sweepTemporaries` would remove. */
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
    const taken =
      where === space ? Number(pid) !== process.pid && isAlive(Number(pid)) : !isOnlyProcess;
    if (mine || (taken && !(await isOld(path, now)))) continue;
    yield path;
  }
}

function isAlive(pid: number) {
  if (!(pid > 0)) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return isSystemError(error, 'EPERM');
  }
}

async function isOld(path: string, now: number) {
  const found = await stat(path).catch(() => null);
  return found !== null && now - found.mtimeMs > DAY;
}
