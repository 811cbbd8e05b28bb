import { deliveredBytes } from '../../media/service.ts';
import { splitExtension } from '../paths/paths.ts';
import type { ZipFileRow } from './zip-store.ts';

/** Where the bytes of a file are: in one object, or in the parts below a prefix, in the order of their numbers. */
export type ZipSource =
  /** An earlier version has not stored the size of what it made. */
  { key: string; size: number | null } | { prefix: string; size: number };

/** A file of a ZIP. Its time is in epoch milliseconds. */
export type ZipEntry = {
  fileId: string;
  name: string;
  modifiedAt: number;
  size: number;
  source: ZipSource;
};

/**
 * Returns where the bytes of a file are: its original where that is kept, else the image that is delivered. Null for a
 * file that is being processed or has failed, and for a video of which only the streams are stored.
 */
export function zipSourceOf(row: ZipFileRow): ZipSource | null {
  if (row.status !== null && row.status !== 'success') return null;
  if (row.object_key !== null && row.blob_size !== null) {
    return { key: row.object_key, size: row.blob_size };
  }
  if (row.file_type === 'video') {
    const { blob_prefix: prefix, blob_size: size } = row;
    return prefix === null || size === null ? null : { prefix, size };
  }
  if (row.prefix === null || row.entry === null) return null;
  return { key: row.prefix + row.entry, size: deliveredBytes(row) };
}

/** Returns the path that a file has in a ZIP, before its folder is cut off. An image has the extension of its format. */
export const zipPathOf = (row: ZipFileRow, source: ZipSource): string =>
  'key' in source && source.key !== row.object_key
    ? splitExtension(row.path).stem + splitExtension(source.key).extension
    : row.path;

/** Returns the folder that all paths are in, which ends in '/'; '' for the top. */
export function commonFolder(paths: string[]): string {
  const [first = ''] = paths;
  let end = first.lastIndexOf('/') + 1;
  for (const path of paths) {
    while (end > 0 && !path.startsWith(first.slice(0, end))) {
      end = first.lastIndexOf('/', end - 2) + 1;
    }
  }
  return first.slice(0, end);
}

/** Gives the files of a ZIP their names: paths relative to a folder, of which no two are equal. */
export class ZipNames {
  private readonly taken = new Set<string>();
  private readonly numbers = new Map<string, number>();

  /** @param folder ends in '/'; '' for the top */
  constructor(private readonly folder: string) {}

  /** Returns the name of the next file. A name that is taken gets a number, as in `photo (2).jpg`. */
  add(path: string): string {
    const wished = safeName(path.slice(this.folder.length));
    let name = wished;
    let number = this.numbers.get(wished) ?? 1;
    for (; this.taken.has(name); ) {
      number += 1;
      const { stem, extension } = splitExtension(wished);
      name = `${stem} (${number})${extension}`;
    }
    this.numbers.set(wished, number);
    this.taken.add(name);
    return name;
  }
}

/**
 * S3 clients write keys with empty segments, and Windows takes a backslash for a slash: no name may lead out of the
 * folder into which a ZIP is unpacked.
 */
const safeName = (path: string): string =>
  path
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => segment.replaceAll('\\', '_'))
    .join('/') || '_';
