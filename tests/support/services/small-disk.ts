import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../client/wait.ts';

/** Fills the disk of a folder with a file, except for so many bytes. Returns whether that worked. */
export async function fillDisk(folder: string, file: string, freeBytes: number): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder);
  const length = String(Math.max(1, bavail * bsize - freeBytes));
  return Bun.spawnSync(['fallocate', '-l', length, file]).exitCode === 0;
}

/** Mounts a file system of this many MiB, or returns null if this process may not. Call `remove`. */
export async function smallDisk(
  mib: number,
): Promise<{ folder: string; remove: () => Promise<void> } | null> {
  if (process.getuid?.() !== 0) return null;
  const folder = await mkdtemp(join(tmpdir(), 'wharf-disk-'));
  const options = `size=${mib}m,mode=700`;
  const mounted = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
  const remove = async () => {
    // Files that a server has just closed may keep the file system busy for a moment.
    await until(async () => Bun.spawnSync(['umount', folder]).exitCode === 0);
    await rm(folder, { recursive: true, force: true });
  };
  if (mounted.exitCode === 0) return { folder, remove };
  await rm(folder, { recursive: true });
  return null;
}
