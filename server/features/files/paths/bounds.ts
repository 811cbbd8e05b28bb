/** Returns the text behind a path and before all other paths behind it, as no path has a control character. */
export const behindPath = (path: string): string => `${path}\u0001`;

/** Returns the text behind all paths in a folder, whose path ends in '/': '0' is the character after that. */
export const behindFolder = (folder: string): string => `${folder.slice(0, -1)}0`;
