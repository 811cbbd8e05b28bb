import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../client/wait.ts';

/** Seconds. */
const PATIENCE = 10;

/** A real file system of so many MiB; null where this process may not mount one. Call `remove`. */
export async function smallDisk(
  mib: number,
): Promise<{ folder: string; remove: () => Promise<void> } | null> {
  if (process.getuid?.() !== 0) return null;
  const folder = await mkdtemp(join(tmpdir(), 'wharf-disk-'));
  const options = `size=${mib}m,mode=700`;
  const mounted = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
  const remove = async () => {
    // Files that a server has just closed may hold it for a moment more.
    await until(async () => Bun.spawnSync(['umount', folder]).exitCode === 0, PATIENCE);
    await rm(folder, { recursive: true, force: true });
  };
  if (mounted.exitCode === 0) return { folder, remove };
  await rm(folder, { recursive: true });
  return null;
}
