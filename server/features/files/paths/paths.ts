import { invalid } from '../../../errors.ts';

/** As in S3, in UTF-8. */
const MAX_PATH_BYTES = 1024;
/** What a path from a name may have: a number or an id between parentheses is added where it is taken. */
const MAX_NAME_BYTES = 960;
/** As many characters of four bytes each. */
const SHORT_NAME_LENGTH = MAX_NAME_BYTES / 4;

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
  if (path.startsWith('/') || path.endsWith('/') || path.includes('//') || !isPath(path)) {
    throw invalid(
      'path must be like photos/2026/beach.jpg: at most 1,024 bytes, without empty parts, . or .. between slashes, and control characters.',
    );
  }
  return path;
}

/**
 * Returns the path that an upload gets by the name of its file, if it is free. Browsers on macOS send names in
 * decomposed characters, so a path from a name is composed (NFC).
 */
export function pathFromName(name: string): string {
  const composed = name.normalize('NFC');
  const path =
    bytesOf(composed) > MAX_NAME_BYTES
      ? [...composed].slice(0, SHORT_NAME_LENGTH).join('')
      : composed;
  return isPath(path) ? path : '_';
}

/** Returns a path in two, so that a number fits between them: 'photo' and '.jpg'. */
export function splitExtension(path: string): { stem: string; extension: string } {
  const dot = path.lastIndexOf('.');
  const length = dot > path.lastIndexOf('/') + 1 ? dot : path.length;
  return { stem: path.slice(0, length), extension: path.slice(length) };
}
