import { readFileSync, realpathSync } from 'node:fs';

/** A mounted file system: the folder at which it is mounted, and its type, such as 'ext4' or 'nfs4'. */
export type Mount = { folder: string; type: string };

/**
 * Returns the file system that an existing path is on; null where the system doesn't tell, which only Linux
 * does.
 */
export function findMount(path: string): Mount | null {
  try {
    return mountOf(realpathSync(path), readFileSync('/proc/self/mountinfo', 'utf8'));
  } catch {
    return null;
  }
}

/**
 * Returns the file system of an absolute path without links.
 * @param mounts the text of /proc/self/mountinfo, see proc_pid_mountinfo(5)
 */
export function mountOf(path: string, mounts: string): Mount | null {
  let found: Mount | null = null;
  for (const line of mounts.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const folder = decodeOctal(before.split(' ')[4] ?? '');
    const type = after.split(' ')[0] ?? '';
    const isAbove = folder !== '' && `${path}/`.startsWith(folder === '/' ? '/' : `${folder}/`);
    // Of two at the same folder, the later one hides the earlier.
    if (isAbove && folder.length >= (found?.folder.length ?? 0)) found = { folder, type };
  }
  return found;
}

/** The kernel writes spaces, tabs, line feeds and backslashes as three octal digits. */
const decodeOctal = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 8)));
