import { readlink, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isSystemError } from '../../system-error.ts';

/*
 * An object whose bytes are in one file with those of others is a symbolic link that says where, beside a name of that
 * file which only this object has:
 *
 *   objects/u/upload/2.second    → .2.second@16777216+4096
 *   objects/u/upload/.2.second   the file that also has the bytes of the first part
 *
 * So the file stays as long as one of its objects. The link leads nowhere: what knows nothing of it finds no object
 * rather than one with all bytes. No key has a segment that begins with a dot.
 */

const LINK = /^(\..+)@(\d{1,15})\+(\d{1,15})$/;

/** The bytes of a file from `start` up to but not including `end`. `modifiedAt` is in epoch milliseconds. */
export type Slice = { path: string; start: number; end: number; modifiedAt: number };

/** Returns the name that the file with the bytes of an object has beside it. */
export const filePath = (path: string): string => join(dirname(path), `.${basename(path)}`);

/** Returns the text of the link that is an object. */
export const toLink = (path: string, { start, size }: { start: number; size: number }): string =>
  `.${basename(path)}@${start}+${size}`;

/** Returns where the bytes of an object are that is such a link; null for others, and where they are missing. */
export async function findSlice(path: string): Promise<Slice | null> {
  // EINVAL says that it is no link.
  const text = await unlessError(readlink(path), 'ENOENT', 'ENOTDIR', 'EINVAL');
  const [, name, from, size] = LINK.exec(text ?? '') ?? [];
  if (name === undefined) return null;
  const file = join(dirname(path), name);
  const stats = await unlessError(stat(file), 'ENOENT', 'ENOTDIR');
  const [start, end] = [Number(from), Number(from) + Number(size)];
  if (!stats || (end > start && stats.size < end)) return null;
  return { path: file, start, end, modifiedAt: Math.floor(stats.mtimeMs) };
}

async function unlessError<T>(work: Promise<T>, ...codes: string[]): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (isSystemError(error, ...codes)) return null;
    throw error;
  }
}
