/*
 * Object prefixes, below the root of the place where the bucket is: '' or a region's. Ids sort by time and never repeat, so nothing is ever written twice.
 * Only what is below a file's published prefix can be delivered.
 */

/** What was uploaded: private for ever. */
export const originalPrefix = (root: string, bucketId: string, fileId: string) =>
  `${root}o/${bucketId}/${fileId}/`;

/** The parts of an unfinished or not yet processed upload. */
export const uploadPrefix = (root: string, uploadId: string) => `${root}u/${uploadId}/`;

/** All that processing makes of a file. */
export const filePrefix = (root: string, bucketId: string, fileId: string) =>
  `${root}f/${bucketId}/${fileId}/`;

/** What one attempt at it makes. */
export const attemptPrefix = (root: string, bucketId: string, fileId: string, attemptId: string) =>
  `${filePrefix(root, bucketId, fileId)}${attemptId}/`;

/** One derivative: an image in another size or format. Gone with all else of its file. */
export const derivativePrefix = (
  root: string,
  bucketId: string,
  fileId: string,
  derivativeId: string,
) => `${filePrefix(root, bucketId, fileId)}d/${derivativeId}/`;

/** Prefixes that only a running request or job may be filling. */
export const transientPrefixes = (roots: string[]): string[] =>
  ['', ...roots].flatMap((root) => [`${root}o/`, `${root}f/`]);
