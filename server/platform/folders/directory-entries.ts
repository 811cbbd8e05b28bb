import { dlopen, ptr, read } from 'bun:ffi';

/** Room for about a thousand names. */
const BUFFER_BYTES = 64 * 1024;
/** The number of the call by architecture; glibc has had a function for it only since 2.30. */
const GETDENTS64: Record<string, number> = { x64: 217, arm64: 61 };
/** The offsets in `struct linux_dirent64`, and the kind of an entry that is a folder; see getdents64(2). */
const LENGTH_AT = 16;
const KIND_AT = 18;
const NAME_AT = 19;
const DT_UNKNOWN = 0;
const DT_DIR = 4;
/** The folder has been removed since it was opened. */
const ENOENT = 2;

/** An entry of a folder. `isFolder` is null where the file system does not say what it is. */
export type RawEntry = { name: string; isFolder: boolean | null };

/**
 * Opens the kernel's own call for reading a folder piece by piece, for which Bun has no function: its
 * `opendir` reads the whole folder at the first entry. Returns null where the C library has another name.
 * The returned function blocks its thread. It returns the next entries of an open folder, null at its end.
 */
export function openDirectoryReader(): ((descriptor: number) => RawEntry[] | null) | null {
  const call = GETDENTS64[process.arch];
  if (process.platform !== 'linux' || call === undefined) return null;
  try {
    const { symbols } = dlopen('libc.so.6', {
      syscall: { args: ['i64', 'i64', 'ptr', 'u64'], returns: 'i64' },
      __errno_location: { args: [], returns: 'ptr' },
    });
    const buffer = Buffer.alloc(BUFFER_BYTES);
    return (descriptor) => {
      const length = Number(symbols.syscall(call, descriptor, ptr(buffer), BUFFER_BYTES));
      if (length > 0) return parseEntries(buffer.subarray(0, length));
      const error = length < 0 ? read.i32(symbols.__errno_location() as never, 0) : 0;
      if (error !== 0 && error !== ENOENT) throw new Error(`getdents64 failed with ${error}.`);
      return null;
    };
  } catch {
    return null;
  }
}

/** Whether this system has that call. */
export const hasDirectoryReader = (): boolean => openDirectoryReader() !== null;

/** Parses what getdents64 has written, without the folder itself and its parent. */
export function parseEntries(buffer: Buffer): RawEntry[] {
  const entries: RawEntry[] = [];
  for (let at = 0; at < buffer.length; at += buffer.readUInt16LE(at + LENGTH_AT)) {
    const name = buffer.toString('utf8', at + NAME_AT, buffer.indexOf(0, at + NAME_AT));
    const kind = buffer[at + KIND_AT];
    if (name === '.' || name === '..') continue;
    entries.push({ name, isFolder: kind === DT_UNKNOWN ? null : kind === DT_DIR });
  }
  return entries;
}
