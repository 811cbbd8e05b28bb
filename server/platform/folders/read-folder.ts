import { constants } from 'node:fs';
import { lstat, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { KIB } from '../../contract/limits.ts';
import { isSystemError } from '../system-error.ts';
import { Thread } from '../thread.ts';
import { hasDirectoryReader } from './directory-entries.ts';
import type { FolderReply } from './thread.ts';

/**
 * A folder of at most this size is read at once. Its size grows with its entries on all common file systems,
 * and so much has room for some thousands of them.
 */
const MAX_SIZE_AT_ONCE = 64 * KIB;

export type FolderEntry = { name: string; isFolder: boolean };

let thread: Thread<number, FolderReply> | null = null;
let readers = 0;

/**
 * Yields the entries of a folder in no order; none where it is missing or no folder. A large one is read
 * piece by piece in a thread: the names of a million entries take 125 MB, and a folder that is not in memory
 * makes the call wait for the disk.
 */
export async function* readFolder(path: string): AsyncGenerator<FolderEntry> {
  try {
    if ((await stat(path)).size > MAX_SIZE_AT_ONCE && hasDirectoryReader()) {
      yield* readInPieces(path);
      return;
    }
    for (const entry of await readdir(path, { withFileTypes: true })) {
      yield { name: entry.name, isFolder: entry.isDirectory() };
    }
  } catch (error) {
    if (!isSystemError(error, 'ENOENT', 'ENOTDIR')) throw error;
  }
}

async function* readInPieces(path: string): AsyncGenerator<FolderEntry> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  thread ??= new Thread('The thread for folders', 'server/platform/folders/thread');
  const reader = thread;
  readers += 1;
  try {
    for (;;) {
      const reply = await reader.request(folder.fd);
      if ('error' in reply) throw new Error(reply.error);
      if (!reply.entries) return;
      for (const { name, isFolder } of reply.entries) {
        yield { name, isFolder: isFolder ?? (await isDirectory(join(path, name))) };
      }
    }
  } finally {
    readers -= 1;
    if (readers === 0) {
      reader.end();
      thread = null;
    }
    await folder.close();
  }
}

/** A file that is removed meanwhile is no folder. */
const isDirectory = (path: string) =>
  lstat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
