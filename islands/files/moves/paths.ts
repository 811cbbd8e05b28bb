/** Returns the folder of a path, which ends in '/'; '' for the top. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

/** Returns the name of a file or of a folder, which its path ends with. */
export const baseName = (path: string): string => path.replace(/\/$/, '').split('/').at(-1) ?? path;

/** Returns how long a name is without its extension, which is what one replaces of it. */
export function stemLength(name: string): number {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? dot : name.length;
}

/** Returns what is wrong with the new name of a file or of a folder; null if nothing is. */
export function nameProblem(name: string): string | null {
  if (name === '') return 'Enter a name.';
  if (name.includes('/')) return 'A name can’t contain a slash.';
  return name === '.' || name === '..' ? 'This name is reserved.' : null;
}

/** Returns a typed folder as a prefix of paths: without spaces and slashes around it, and with one at its end. */
export function toFolder(text: string): string {
  const folder = text.trim().replace(/^\/+|\/+$/g, '');
  return folder === '' ? '' : `${folder}/`;
}
