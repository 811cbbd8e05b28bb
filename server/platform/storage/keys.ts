/*
 * Keys become paths on the disk, so these rules keep every put, open and delete inside the store's folder.
 * They list what is allowed instead of what is dangerous: no '.' or '..' and no hidden file (a segment
 * starts with a letter, digit or '_'), no absolute path, no backslash, no NUL, nothing that decodes to
 * something else ('%2e'), and nothing outside ASCII that a file system may fold into another name.
 */
const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;
const SEGMENT_MAX = 200;
const KEY_MAX = 512;

/** Whether a text can be one segment of a key, between two slashes. */
export function isSegment(text: string): boolean {
  return text.length <= SEGMENT_MAX && SEGMENT.test(text);
}

/** Returns the key unchanged. Throws a plain Error, because a bad key is a bug and never a caller's input. */
export function checkKey(key: string): string {
  if (key.length > KEY_MAX || !key.split('/').every(isSegment)) {
    throw new Error(`Not an object key: ${JSON.stringify(key.slice(0, KEY_MAX))}`);
  }
  return key;
}

/**
 * Returns the prefix unchanged: a key followed by '/', so that 'a/b/' never reaches 'a/bc'. Throws as
 * `checkKey` does.
 */
export function checkPrefix(prefix: string): string {
  if (!prefix.endsWith('/')) throw new Error(`A prefix ends in '/': ${JSON.stringify(prefix)}`);
  checkKey(prefix.slice(0, -1));
  return prefix;
}
