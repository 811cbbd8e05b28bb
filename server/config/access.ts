import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { findMount } from '../platform/mounts.ts';
import { isSystemError } from '../platform/system-error.ts';

const { R_OK, W_OK, X_OK } = constants;
/** The codes for what permissions or a read-only file system forbid. */
const REFUSAL_CODES = ['EACCES', 'EPERM', 'EROFS'];

/** Why this process can't use a path, and the command that changes that. */
export type Refusal = { text: string; remedy: string };

/** A path and what must be possible with it, as the bits of access(2). */
export type Need = { path: string; bits: number };

export const toRead = (path: string): Need => ({ path, bits: R_OK });
export const toWrite = (path: string): Need => ({ path, bits: R_OK | W_OK });
export const toList = (path: string): Need => ({ path, bits: R_OK | X_OK });
export const toFill = (path: string): Need => ({ path, bits: R_OK | W_OK | X_OK });

/**
 * Returns why this process can't use one of these paths, the first that it can't. A path that does not exist
 * is no reason.
 * @param needs what is needed, outer folders first
 * @param root the folder that the command gives to this user as a whole
 */
export function findRefusal(needs: Need[], root: string): Refusal | null {
  for (const { path, bits } of needs) {
    const code = codeOf(path, bits);
    if (code) return toRefusal(path, root, code, bits & W_OK ? 'written to' : 'read');
  }
  return null;
}

/** Returns the same for an error of the system about a path; null for any other error. */
export function refusalOf(error: unknown): Refusal | null {
  if (!isSystemError(error, ...REFUSAL_CODES)) return null;
  const { path, code, syscall } = error as NodeJS.ErrnoException;
  if (path === undefined || code === undefined) return null;
  if (syscall === 'mkdir' && code !== 'EROFS') return toMissingRefusal(path);
  const refused = existsSync(path) && codeOf(path, W_OK) ? path : nearestExisting(dirname(path));
  return toRefusal(refused, refused, code, 'used');
}

function codeOf(path: string, bits: number): string | null {
  try {
    // What should be a folder and isn't is another mistake, for which this gets ENOTDIR.
    accessSync(bits & X_OK ? `${path}/.` : path, bits);
    return null;
  } catch (error) {
    return isSystemError(error, ...REFUSAL_CODES)
      ? ((error as { code?: string }).code ?? '')
      : null;
  }
}

function toRefusal(path: string, root: string, code: string, use: string): Refusal {
  const { uid, gid } = currentUser();
  const text = `${path} can't be ${use} by user ${uid}`;
  if (code === 'EROFS') {
    const folder = findMount(path)?.folder ?? path;
    return {
      text: `${text}, because it is mounted read-only`,
      remedy: `As root, run: mount -o remount,rw ${quote(folder)}`,
    };
  }
  if (ownerOf(path) === uid) return { text, remedy: `Run: chmod -R u+rwX ${quote(root)}` };
  return { text, remedy: `As root, run: chown -R ${uid}:${gid} ${quote(root)}` };
}

function toMissingRefusal(path: string): Refusal {
  const { uid, gid } = currentUser();
  return {
    text: `${path} can't be created by user ${uid}`,
    remedy: `As root, run: install -d -m 700 -o ${uid} -g ${gid} ${quote(path)}`,
  };
}

const currentUser = () => ({ uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 });

/** Returns who owns a path; undefined where its folder can't be entered. */
function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid;
  } catch {
    return undefined;
  }
}

function nearestExisting(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : nearestExisting(dirname(path));
}

/** Returns a path as a shell takes it. */
const quote = (path: string): string =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
