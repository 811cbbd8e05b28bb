import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../config/operator-error.ts';
import { lockFile } from '../platform/db/sqlite-file.ts';

/** A file in DATA_DIR while a backup is restored into it; the server does not start beside it. */
export const RESTORE_MARKER = 'restore-unfinished';

/**
 * Makes DATA_DIR. With `isOnlyProcess` it also locks it against every other process. Returns the function that
 * unlocks it. Throws OperatorError where another process holds the lock, or a restore did not finish.
 */
export function lockDataDir(
  dataDir: string,
  { isOnlyProcess }: { isOnlyProcess: boolean },
): () => void {
  makeDataDir(dataDir);
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
  } catch (error) {
    throw new OperatorError(`Can't create DATA_DIR ${dataDir}: ${(error as Error).message}.`);
  }
}
