import { invalid } from '../../../errors.ts';

/** As in S3, in UTF-8. */
const MAX_PATH_BYTES = 1024;
/** What a path from a name may have: a number or an id between parentheses is added where it is taken. */
const MAX_NAME_BYTES = 960;
const MAX_CHARACTER_BYTES = 4;
/** A folder leaves room for a name of a hundred characters. */
const MAX_FOLDER_BYTES = 512;

/** Control characters would end headers and lines of lists, and a list goes on behind a path with one of them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const CONTROLS = /[\u0000-\u001f\u007f]/;

const utf8 = new TextEncoder();
const bytesOf = (text: string): number => utf8.encode(text).byteLength;

/**
 * Whether a text can be the path of a file. Paths are compared byte by byte, as S3 and its clients do, so
 * nothing is normalised or folded here. A lone surrogate would be stored as U+FFFD, and two paths become one.
 * URL parsers resolve the segments '.' and '..', encoded ones too, so no address could name such a file.
 */
export function isPath(text: string): boolean {
  return (
    text !== '' &&
    text.isWellFormed() &&
    bytesOf(text) <= MAX_PATH_BYTES &&
    !CONTROLS.test(text) &&
    !text.split('/').some((segment) => segment === '.' || segment === '..')
  );
}

/** Returns a path of a file as the API takes it. Throws invalid. */
export function requirePath(path: string): string {
  if (!isApiPath(path)) {
    throw invalid(
      'path must be like photos/2026/beach.jpg: at most 1,024 bytes, without empty parts, . or .. between slashes, and control characters.',
    );
  }
  return path;
}

/**
 * Returns the path that an upload gets by its folder and the name of its file, if it is free. Browsers on macOS send
 * names in decomposed characters, so a path from a name is composed (NFC), and shortened where it is too long.
 * @param folder as `requireFolder` returns it; '' for the top
 */
export function pathInFolder(folder: string, name: string): string {
  const parent = folder === '' ? '' : `${folder}/`;
  const room = MAX_NAME_BYTES - bytesOf(parent);
  const composed = name.normalize('NFC');
  const last =
    bytesOf(composed) > room
      ? [...composed].slice(0, Math.floor(room / MAX_CHARACTER_BYTES)).join('')
      : composed;
  return isPath(last) ? parent + last : `${parent}_`;
}

/**
 * Returns the path of a file in another folder, where it keeps the last part of its path. Throws invalid.
 * @param folder as `requireFolder` returns it; '' for the top
 */
export const pathMovedTo = (folder: string, path: string): string =>
  requirePath(`${folder === '' ? '' : `${folder}/`}${path.slice(path.lastIndexOf('/') + 1)}`);

/** Returns a folder as the API takes it, without a slash at its end; '' for the top. Throws invalid. */
export function requireFolder(folder: string): string {
  if (folder === '') return '';
  const path = folder.endsWith('/') ? folder.slice(0, -1) : folder;
  if (!isApiPath(path) || bytesOf(path) > MAX_FOLDER_BYTES) {
    throw invalid(
      'folder must be like photos/2026: at most 512 bytes, without empty parts, . or .. between slashes, and control characters.',
    );
  }
  return path;
}

/** S3 allows paths with empty parts, which look like folders without a name. */
const isApiPath = (path: string) =>
  isPath(path) && !path.startsWith('/') && !path.endsWith('/') && !path.includes('//');

/** Returns a path in two, so that a number fits between them: 'photo' and '.jpg'. */
export function splitExtension(path: string): { stem: string; extension: string } {
  const dot = path.lastIndexOf('.');
  const length = dot > path.lastIndexOf('/') + 1 ? dot : path.length;
  return { stem: path.slice(0, length), extension: path.slice(length) };
}

/**
 * Returns a path without the numbers and ids that a new file gets where its path is taken: two files can only wish or
 * get the same path where this is the same for both.
 */
export function unnumbered(path: string): string {
  const { stem, extension } = splitExtension(path);
  return stem.replace(/(?: \([0-9a-z]+\))+$/, '') + extension;
}
