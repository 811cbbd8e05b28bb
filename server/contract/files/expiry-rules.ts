/** How many rules of expiry a bucket can have. */
export const MAX_EXPIRY_RULES = 100;
/** The most days after which a rule can delete files: ten years. */
export const MAX_EXPIRY_DAYS = 3650;
/** The most characters of a rule's prefix. */
export const MAX_EXPIRY_PREFIX_LENGTH = 255;
/** The most characters of a rule's id, as in S3. */
export const MAX_EXPIRY_ID_LENGTH = 255;

/** Deletes the files whose path begins with `prefix` so many days after their upload. */
export type ExpiryRule = {
  /** Such as `logs/2026/`; empty for all files. */
  prefix: string;
  days: number;
  /** The name that its owner gave it, by which S3 clients know it again; undefined for none. */
  id?: string;
};

/** Control characters are in no path. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const CONTROLS = /[\u0000-\u001f\u007f]/;

/** Whether the path of a file can begin with a text. */
export const isPathPrefix = (text: string): boolean =>
  text.length <= MAX_EXPIRY_PREFIX_LENGTH &&
  text.isWellFormed() &&
  !CONTROLS.test(text) &&
  !text.startsWith('/') &&
  !text.includes('//');
