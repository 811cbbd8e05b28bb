import { dlopen } from 'bun:ffi';
import { link, open, rm, symlink } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { MIB } from '../../../contract/limits.ts';

/** From linux/falloc.h. */
const KEEP_SIZE = 1;
const PUNCH_HOLE = 2;
/** The event loop waits for each call. On ext4 it takes 1 to 2 ms for so many bytes that are on the disk, and 10 to 20 for 32 MiB. */
const STEP_BYTES = 4 * MIB;

type Fallocate = (descriptor: number, mode: number, offset: number, length: number) => number;

let fallocate: Fallocate | null | undefined;

/** Returns the kernel's call; null on other systems than Linux, and where the C library has another name. */
function openFallocate(): Fallocate | null {
  if (process.platform !== 'linux') return null;
  try {
    const { symbols } = dlopen('libc.so.6', {
      fallocate: { args: ['i32', 'i32', 'i64', 'i64'], returns: 'i32' },
    });
    return symbols.fallocate;
  } catch {
    return null;
  }
}

/** Gives the bytes of a file from `start` to `end` back to the disk. Returns false where the file system can't. */
export async function punchHole(descriptor: number, start: number, end: number): Promise<boolean> {
  fallocate ??= openFallocate();
  for (let at = start; at < end; at += STEP_BYTES) {
    if (at > start) await setImmediate();
    const length = Math.min(STEP_BYTES, end - at);
    if (fallocate?.(descriptor, KEEP_SIZE | PUNCH_HOLE, at, length) !== 0) return false;
  }
  return true;
}

/** Whether a file system has what slots need: holes, several names of a file, and links. @param path an unused one */
export async function supportsSlots(path: string): Promise<boolean> {
  const names = [path, `${path}-name`, `${path}-link`] as const;
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      if (!(await punchHole(file.fd, 0, MIB))) return false;
    } finally {
      await file.close();
    }
    await link(path, names[1]);
    await symlink('.none', names[2]);
    return true;
  } catch {
    return false;
  } finally {
    for (const name of names) await rm(name, { force: true });
  }
}
