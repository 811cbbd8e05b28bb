import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { refusalOf } from '../config/access.ts';
import { OperatorError } from '../config/operator-error.ts';
import { lockFile } from '../platform/db/sqlite/files.ts';
import type { Ballast } from '../platform/storage/ballast.ts';

/** A file in DATA_DIR while a backup is restored into it; the server does not start beside it. */
export const RESTORE_MARKER = 'restore-unfinished';

/**
 * Makes DATA_DIR, and room in it if its disk is full. With `isOnlyProcess` it also locks it against every other process. Returns the function that
 * unlocks it. Throws OperatorError where another process holds the lock, or a restore did not finish.
 */
export function lockDataDir(
  dataDir: string,
  { isOnlyProcess, ballast }: { isOnlyProcess: boolean; ballast: Pick<Ballast, 'releaseIfFull'> },
): () => void {
  makeDataDir(dataDir);
  ballast.releaseIfFull(dataDir);
  const unlock = isOnlyProcess ? lockFolder(dataDir) : () => {};
  if (!unlock)
    throw new OperatorError(`Another Wharf server is already using ${dataDir}. Stop it first.`);
  if (!existsSync(join(dataDir, RESTORE_MARKER))) return unlock;
  unlock();
  throw new OperatorError(
    `A restore into ${dataDir} did not finish. Empty the folder and restore again.`,
  );
}

/**
 * Locks a folder for this process until it ends, also when it is killed. Returns the function that
 * unlocks it; null where another process holds the lock.
 */
export const lockFolder = (folder: string): (() => void) | null =>
  lockFile(join(folder, 'lock.db'));

function makeDataDir(dataDir: string) {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    makePrivate(dataDir);
  } catch (error) {
    if (refusalOf(error)) throw error;
    throw new OperatorError(`Can't create DATA_DIR ${dataDir}: ${(error as Error).message}.`);
  }
}

/** The permissions of the group and of all others. */
const OTHERS = 0o077;

/** The database with `-wal` and `-shm`, the lock and the secret, by the start of their names. */
const PRIVATE_FILES = ['wharf.db', 'lock.db', 'secret'];

/**
 * Takes the rights of other users away from a folder that was created by somebody else, `mkdir` for
 * example, and from the files in it that earlier versions created with the umask of their shell.
 */
function makePrivate(dataDir: string) {
  const names = readdirSync(dataDir).filter((name) =>
    PRIVATE_FILES.some((start) => name.startsWith(start)),
  );
  for (const path of [dataDir, ...names.map((name) => join(dataDir, name))]) {
    const { mode } = statSync(path);
    if ((mode & OTHERS) === 0) continue;
    try {
      chmodSync(path, mode & ~OTHERS);
    } catch (error) {
      // Volumes of containers belong to root. The files that Wharf creates there are private anyway.
      if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
    }
  }
}
