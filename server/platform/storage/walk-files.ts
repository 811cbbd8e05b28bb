import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError } from '../system-error.ts';
import { isSegment } from './keys.ts';

/**
 * The objects below a folder, one at a time and in no order, with keys that start with `prefix`.
 * What goes away meanwhile is left out, and so is what we can't have put there ('.nfs…').
 */
export async function* walkFiles(
  folder: string,
  prefix: string,
): AsyncGenerator<{ key: string; size: number }> {
  try {
    for await (const entry of await opendir(folder)) {
      if (!isSegment(entry.name)) continue;
      const path = join(folder, entry.name);
      const key = prefix + entry.name;
      if (entry.isDirectory()) yield* walkFiles(path, `${key}/`);
      else yield* sizeOf(path, key);
    }
  } catch (error) {
    if (!isSystemError(error, 'ENOENT', 'ENOTDIR')) throw error;
  }
}

async function* sizeOf(path: string, key: string) {
  const found = await stat(path).catch((error) => {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  });
  if (found?.isFile()) yield { key, size: found.size };
}
