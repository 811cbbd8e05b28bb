import type { StoredObject } from '../../platform/storage/port.ts';
import type { Version } from '../../web/http/conditional-requests.ts';
import { gzip } from '../../web/http/gzip.ts';

/** The bytes of an object in one content coding. */
export type Bytes = Version & Pick<StoredObject, 'size' | 'body'>;

/**
 * An object as its key names it, which never changes: as it is stored, and for clients that accept gzip where
 * it is worth compressing. What a response says of it depends on its file and bucket, which do change.
 */
export type CachedObject = {
  uncompressed: Bytes;
  packed: Bytes | null;
  /** Creates a link to the object in the storage. */
  link?: StoredObject['link'];
};

/** Bytes with everything else that a response needs. */
export type Variant = Bytes & {
  /** The headers of a response with the whole body, without Content-Length, which Bun adds. */
  headers: Headers;
  /** Creates a link to the object in the storage, if clients may be redirected there. */
  link?: StoredObject['link'];
};

/** An object with the headers of its file. */
export type Deliverable = { uncompressed: Variant; packed: Variant | null };

/**
 * Whether the response depends on nothing but the URL, so that it can be cached by URL. Texts
 * depend on Accept-Encoding, and thousands of them would fill the memory.
 */
export const isByUrl = ({ uncompressed, packed }: Deliverable): boolean =>
  packed === null && !uncompressed.headers.has('vary');

/** Returns a text as it is and compressed. Each has an ETag of its own, as their bytes differ. */
export async function textObject(
  text: Uint8Array<ArrayBuffer>,
  modifiedAt: number | null,
  tag: string,
): Promise<CachedObject> {
  const packed = new Uint8Array(await gzip(text));
  return {
    uncompressed: { ...inMemory(text), modifiedAt, etag: `"${tag}"` },
    packed: { ...inMemory(packed), modifiedAt, etag: `"${tag}-gzip"` },
  };
}

function inMemory(bytes: Uint8Array<ArrayBuffer>): Pick<StoredObject, 'size' | 'body'> {
  const blob = new Blob([bytes]);
  return {
    size: bytes.length,
    body: (range) => (range ? blob.slice(range.start, range.end) : blob),
  };
}
