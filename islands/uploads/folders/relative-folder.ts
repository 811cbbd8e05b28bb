/** The folders of files that were dropped with them. A file from a folder that was chosen knows its own. */
const dropped = new WeakMap<object, string>();

/** Keeps the folder in which a file was dropped. It ends in '/'. */
export function setRelativeFolder(file: File, folder: string): void {
  dropped.set(file, folder);
}

/** Returns the folder of a file below the one that was chosen or dropped, which it begins with; '' for a file alone. */
export function relativeFolderOf(file: object): string {
  const path = 'webkitRelativePath' in file ? String(file.webkitRelativePath) : '';
  return dropped.get(file) ?? path.slice(0, path.lastIndexOf('/') + 1);
}
