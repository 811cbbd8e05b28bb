import type { StoredObject } from '../../platform/storage/port.ts';
import type { Version } from '../../web/http/conditional-requests.ts';

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

/** Returns the variant of a stored object, or of bytes in memory. `hash` becomes the ETag. */
export function variantOf(
  source: Pick<StoredObject, 'size' | 'body'> & { modifiedAt: number | null },
  common: Record<string, string>,
  hash: string,
): Variant {
  const { size, modifiedAt, body } = source;
  const etag = `"${hash}"`;
  const headers = new Headers({ ...common, etag });
  if (modifiedAt !== null) headers.set('last-modified', new Date(modifiedAt).toUTCString());
  return { size, modifiedAt, etag, headers, body };
}

/** Returns a text as it is and compressed. Each has an ETag of its own, as their bytes differ. */
export function textVariants(
  text: Uint8Array<ArrayBuffer>,
  modifiedAt: number | null,
  baseHeaders: Record<string, string>,
  hash: string,
): Deliverable {
  const common = { ...baseHeaders, vary: 'Accept-Encoding' };
  const packed = Bun.gzipSync(text);
  return {
    uncompressed: variantOf({ ...inMemory(text), modifiedAt }, common, hash),
    packed: variantOf(
      { ...inMemory(packed), modifiedAt },
      { ...common, 'content-encoding': 'gzip' },
      `${hash}-gzip`,
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
