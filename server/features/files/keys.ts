import { rootOf } from '../../platform/region-routing.ts';

/*
 * Object prefixes, below the root of the bucket's region: '' for this server, or the region's own.
 * Ids sort by time and never repeat, so no object is ever written twice. Only objects below a
 * file's published prefix can be delivered.
 */

/** Returns the prefix of an uploaded original, which is never delivered. */
export const originalPrefix = (root: string, bucketId: string, fileId: string) =>
  `${root}o/${bucketId}/${fileId}/`;

/** Returns the prefix of the parts of an upload that is unfinished or not yet processed. */
export const uploadPrefix = (root: string, uploadId: string) => `${root}u/${uploadId}/`;

/** Returns the prefix of everything that is generated for a file. */
export const filePrefix = (root: string, bucketId: string, fileId: string) =>
  `${root}f/${bucketId}/${fileId}/`;

/**
 * Returns the prefixes of everything that is stored of a bucket's files, except uploads in parts that are
 * not yet processed.
 */
export const bucketPrefixes = (root: string, bucketId: string): string[] => [
  `${root}f/${bucketId}/`,
  `${root}o/${bucketId}/`,
];

/** Returns the prefix of the results of one attempt at processing a file. */
export const attemptPrefix = (root: string, bucketId: string, fileId: string, attemptId: string) =>
  `${filePrefix(root, bucketId, fileId)}${attemptId}/`;

/**
 * Returns the prefix of an image in another size or format, which is deleted together with its
 * file.
 */
export const generatedImagePrefix = (
  root: string,
  bucketId: string,
  fileId: string,
  imageId: string,
) => `${filePrefix(root, bucketId, fileId)}d/${imageId}/`;

/** Returns the prefixes to which only running requests and jobs write. */
export const transientPrefixes = (roots: string[]): string[] =>
  ['', ...roots].flatMap((root) => [`${root}o/`, `${root}f/`]);

/** Returns the ETag of bytes whose MD5 is unknown, which no client takes for one, as that of an upload in parts. */
export const unknownEtag = (name: string): string =>
  `${new Bun.CryptoHasher('md5').update(name).digest('hex')}-1`;

/**
 * Returns the ETag of an object, without quotes. The key names its bytes, which never change. The
 * storage of the region does not count, so that an object that is moved keeps its ETag.
 */
export const etagOf = (key: string): string =>
  Bun.hash.xxHash3(key.slice(rootOf(key).length)).toString(36);
