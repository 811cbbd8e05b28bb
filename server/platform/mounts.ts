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

/** Types of file systems that are on another machine, or in an object store. */
const NETWORK_TYPES =
  /^(nfs4?|cifs|smb3?|smbfs|ncpfs|afs|9p|ceph|glusterfs|lustre|beegfs|ocfs2|gfs2|davfs|acfs|gpfs|fuse\.(sshfs|rclone|s3fs|s3ql|goofys|gcsfuse|blobfuse2?|mount-s3|geesefs|glusterfs|ceph|ceph-fuse|juicefs|seaweedfs|smbnetfs|curlftpfs|davfs2?|moosefs|mfs|lizardfs))$/i;

/**
 * Returns the type of the network file system that a path is on; null where it is on a local one. SQLite
 * can't be used there: "WAL does not work over a network filesystem" (sqlite.org/wal.html), and its locks may
 * not either.
 */
export function findNetworkType(path: string, find: typeof findMount = findMount): string | null {
  const { type } = find(path) ?? { type: '' };
  return NETWORK_TYPES.test(type) ? type : null;
}

/** Returns what is wrong with SQLite on a network file system, and what to do. */
export const describeNetworkDisk = (dataDir: string, type: string): [string, string] => [
  `${dataDir} is on a network file system (${type}), where SQLite can lose or damage the database`,
  'Move DATA_DIR to a disk of this machine, or use PostgreSQL (DATABASE_URL).',
];

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
