import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './program.ts';

const FOLDER = join(ROOT, 'node_modules/.cache/wharf-tests');
/** What was made with another version is not looked at: raised when a maker changes what it makes. */
const VERSION = 1;

/**
 * A file or folder that is made once and kept for all later runs, below `node_modules/.cache`. Several processes
 * may ask at once: each sees the whole or nothing. Runs in Node and in Bun.
 * @param name how the file's name ends, such as 'clip.mp4'
 * @param options what the file's contents depend on
 * @param make writes the file to the path it is given
 * @returns its path; it is shared, so nobody may change it
 */
export async function madeOnce(
  name: string,
  options: unknown,
  make: (path: string) => Promise<void>,
): Promise<string> {
  const key = createHash('sha256')
    .update(JSON.stringify([VERSION, name, options]))
    .digest('hex')
    .slice(0, 32);
  const path = join(FOLDER, `${key}-${name}`);
  if (await exists(path)) return path;
  await mkdir(FOLDER, { recursive: true });
  const unfinished = join(FOLDER, `unfinished-${randomUUID()}-${name}`);
  try {
    await make(unfinished);
    // A folder that another process made meanwhile can't be replaced; it holds the same.
    await rename(unfinished, path).catch(async (error) => {
      if (!(await exists(path))) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return path;
}

/** The same as a copy at `target`, which may be changed. */
export async function copyOfMadeOnce(target: string, ...asked: Parameters<typeof madeOnce>) {
  await copyFile(await madeOnce(...asked), target, constants.COPYFILE_FICLONE);
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
