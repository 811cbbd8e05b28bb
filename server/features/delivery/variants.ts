import { promisify } from 'node:util';
import { gzip as gzipWithCallback } from 'node:zlib';
import type { StoredObject } from '../../platform/storage/port.ts';
import type { Version } from '../../web/http/conditional-requests.ts';

const gzip = promisify(gzipWithCallback);

/** One form of a delivered object, with everything that a response needs. */
export type Variant = Version & {
  size: number;
  /** The headers of a response with the whole body, without Content-Length, which Bun adds. */
  headers: Headers;
  body: StoredObject['body'];
  /** Creates a link to the object in the storage, if clients may be redirected there. */
  link?: StoredObject['link'];
};

/**
 * An object for clients that accept gzip, if it is worth compressing, and for those that do not.
 */
export type Deliverable = { uncompressed: Variant; packed: Variant | null };

/**
 * Whether the response depends on nothing but the URL, so that it can be cached by URL. Texts
 * depend on Accept-Encoding, and thousands of them would fill the memory.
 */
export const isByUrl = ({ uncompressed, packed }: Deliverable): boolean =>
  packed === null && !uncompressed.headers.has('vary');

/** Returns the variant of a stored object, or of bytes in memory. `tag` is the ETag without quotes. */
export function variantOf(
  source: Pick<StoredObject, 'size' | 'body'> & { modifiedAt: number | null },
  common: Record<string, string>,
  tag: string,
): Variant {
  const { size, modifiedAt, body } = source;
  const etag = `"${tag}"`;
  const headers = new Headers({ ...common, etag });
  if (modifiedAt !== null) headers.set('last-modified', new Date(modifiedAt).toUTCString());
  return { size, modifiedAt, etag, headers, body };
}

/** Returns a text as it is and compressed. Each has an ETag of its own, as their bytes differ. */
export async function textVariants(
  text: Uint8Array<ArrayBuffer>,
  modifiedAt: number | null,
  baseHeaders: Record<string, string>,
  tag: string,
): Promise<Deliverable> {
  const common = { ...baseHeaders, vary: 'Accept-Encoding' };
  // In a thread: the playlist of a long film with tokens takes 40 ms.
  const packed = new Uint8Array(await gzip(text));
  return {
    uncompressed: variantOf({ ...inMemory(text), modifiedAt }, common, tag),
    packed: variantOf(
      { ...inMemory(packed), modifiedAt },
      { ...common, 'content-encoding': 'gzip' },
      `${tag}-gzip`,
    ),
  };
}

function inMemory(bytes: Uint8Array<ArrayBuffer>): Pick<StoredObject, 'size' | 'body'> {
  const blob = new Blob([bytes]);
  return {
    size: bytes.length,
    body: (range) => (range ? blob.slice(range.start, range.end) : blob),
  };
}
