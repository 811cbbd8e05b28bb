import { chown, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { permanentFailure } from '../media-failure.ts';
import { toolUser } from './confine.ts';

/** Gives a folder and all in it to the user that tools run as; nothing where that is ourselves. */
export async function handOver(folder: string): Promise<void> {
  const user = toolUser();
  if (user === null) return;
  for (const path of await everythingIn(folder)) await chown(path, user, user);
}

/**
 * Makes what tools wrote in a folder ours again. Throws a permanent MediaFailure at anything but
 * plain files and folders: a decoder taken over by its input could have left a symbolic or hard
 * link here, and we, who may read more than it, would have published what is behind it.
 */
export async function takeBack(folder: string): Promise<void> {
  const paths = await everythingIn(folder);
  const user = toolUser();
  if (user === null) return;
  for (const path of paths) await chown(path, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
}

/** Outermost first, so that once a folder is ours nothing in it can be exchanged behind our back. */
async function everythingIn(folder: string): Promise<string[]> {
  const found = [folder];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) found.push(...(await everythingIn(path)));
    else if (await isPlainFile(path)) found.push(path);
    else throw permanentFailure('The video could not be processed safely.');
  }
  return found;
}

async function isPlainFile(path: string): Promise<boolean> {
  const entry = await lstat(path);
  return entry.isFile() && entry.nlink === 1;
}
