import { statfsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SHARED_MEMORY = '/dev/shm';
const TMPFS_MAGIC = 0x01021994;
const MIN_FREE_BYTES = 2 ** 31;

/**
 * The folder of the test databases. It is in memory if there is enough of it, because a database has
 * hundreds of small files, and creating and syncing them on a disk takes longer than most tests.
 */
export const DATABASE_FOLDER: string = hasRoom() ? SHARED_MEMORY : tmpdir();

function hasRoom() {
  try {
    const { type, bavail, bsize } = statfsSync(SHARED_MEMORY);
    return type === TMPFS_MAGIC && bavail * bsize > MIN_FREE_BYTES;
  } catch {
    return false;
  }
}

/**
 * Removes the temporary folders of processes that have ended without doing so, for example because they
 * were killed. The name of a folder is a prefix and the process id.
 */
export async function sweepTemporary(prefix: string, folder: string = tmpdir()) {
  for (const name of await readdir(folder)) {
    const pid = name.startsWith(prefix) && Number.parseInt(name.slice(prefix.length), 10);
    if (pid && !isRunning(pid)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
