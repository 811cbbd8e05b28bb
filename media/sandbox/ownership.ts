import { chown, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { permanentFailure } from '../media-failure.ts';
import { toolUser } from './confine.ts';

/**
 * Makes the user that runs tools the owner of a folder and all of its content. Does nothing where that is
 * our own user.
 */
export async function chownToToolUser(folder: string): Promise<void> {
  const user = await toolUser();
  if (user === null) return;
  for (const path of await everythingIn(folder)) await chown(path, user, user);
}

/**
 * Makes our own user the owner of what tools wrote in a folder. Throws a permanent MediaFailure for
 * anything but plain files and folders: a compromised decoder could have left a symbolic or hard link here,
 * and we, with more permissions, would publish what it leads to.
 */
export async function reclaimFromToolUser(folder: string): Promise<void> {
  const paths = await everythingIn(folder);
  const user = await toolUser();
  if (user === null) return;
  for (const path of paths) await chown(path, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
}

/** Returns the outermost path first, so that once we own a folder nobody can replace anything in it. */
async function everythingIn(folder: string): Promise<string[]> {
  const entries = [folder];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) entries.push(...(await everythingIn(path)));
    else if (await isPlainFile(path)) entries.push(path);
    else throw permanentFailure('The video could not be processed safely.');
  }
  return entries;
}

async function isPlainFile(path: string): Promise<boolean> {
  const entry = await lstat(path);
  return entry.isFile() && entry.nlink === 1;
}
