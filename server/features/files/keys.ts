/*
 * Object prefixes. Ids sort by time and never repeat, so nothing is ever written twice.
 * Only what is below a file's published prefix can be delivered.
 */

/** What was uploaded: private for ever. */
export const originalPrefix = (bucketId: string, fileId: string) => `o/${bucketId}/${fileId}/`;

/** The parts of an unfinished or not yet processed upload. */
export const uploadPrefix = (uploadId: string) => `u/${uploadId}/`;

/** All that processing makes of a file. */
export const filePrefix = (bucketId: string, fileId: string) => `f/${bucketId}/${fileId}/`;

/** What one attempt at it makes. */
export const attemptPrefix = (bucketId: string, fileId: string, attemptId: string) =>
  `${filePrefix(bucketId, fileId)}${attemptId}/`;

/** One derivative: an image in another size or format. Gone with all else of its file. */
export const derivativePrefix = (bucketId: string, fileId: string, derivativeId: string) =>
  `${filePrefix(bucketId, fileId)}d/${derivativeId}/`;

/** Prefixes that only a running request or job may be filling. */
export const TRANSIENT_PREFIXES = ['o/', 'f/'];
