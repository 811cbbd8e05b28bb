import { setRelativeFolder } from './relative-folder.ts';

/** The files of larger folders would make the page slow. */
export const MAX_DROPPED_FILES = 5_000;

/** Thrown for more than MAX_DROPPED_FILES. */
export class TooManyFilesError extends Error {
  override name = 'TooManyFilesError';
}

/** Returns the dropped entries if there is a folder among them; null where a browser knows files alone. */
export function droppedFolders(transfer: DataTransfer | null): FileSystemEntry[] | null {
  // The entries are gone once the event is over.
  const entries = [...(transfer?.items ?? [])].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  return entries.some(({ isDirectory }) => isDirectory) ? entries : null;
}

/**
 * Returns all files in dropped folders and beside them, each with its folder. Throws TooManyFilesError, or what a
 * browser says of a file that it can't read.
 */
export async function filesIn(entries: FileSystemEntry[]): Promise<File[]> {
  const files: File[] = [];
  const rest = [...entries];
  for (let entry = rest.shift(); entry; entry = rest.shift()) {
    if (entry.isDirectory) rest.unshift(...(await entriesIn(entry as FileSystemDirectoryEntry)));
    else files.push(await fileOf(entry as FileSystemFileEntry));
    if (files.length > MAX_DROPPED_FILES) throw new TooManyFilesError();
  }
  return files;
}

async function fileOf(entry: FileSystemFileEntry): Promise<File> {
  const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
  setRelativeFolder(file, entry.fullPath.slice(1, entry.fullPath.lastIndexOf('/') + 1));
  return file;
}

/** Returns what is in a folder. Browsers tell at most a hundred entries at a time. */
async function entriesIn(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return all;
    all.push(...some);
  }
}
