import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../config/operator-error.ts';
import { lockFile } from '../platform/db/sqlite-file.ts';

/** In DATA_DIR while something is restored into it; the server does not start on it. */
export const UNFINISHED = 'restore-unfinished';

/**
 * Makes DATA_DIR, and where this process is to work on it `alone` keeps all others out; answers what
 * lets them in again. Throws OperatorError where one is there, or what is in it is half restored.
 */
export function holdDataDir(dataDir: string, { alone }: { alone: boolean }): () => void {
  makeDataDir(dataDir);
  const letGo = alone ? lockFolder(dataDir) : () => {};
  if (!letGo)
    throw new OperatorError(`Another Wharf server is already using ${dataDir}. Stop it first.`);
  if (!existsSync(join(dataDir, UNFINISHED))) return letGo;
  letGo();
  throw new OperatorError(
    `A restore into ${dataDir} did not finish. Empty the folder and restore again.`,
  );
}

/**
 * Locks a folder for this process until it ends, however it ends. Returns what unlocks it; null where
 * another process has it.
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
