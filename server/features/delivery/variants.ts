import type { StoredObject } from '../../platform/storage/port.ts';
import type { Version } from '../../web/http/conditional-requests.ts';

/** One form of what is delivered under a name, with all that an answer is made of. */
export type Variant = Version & {
  size: number;
  /** Of the whole answer but for its length, which Bun gives. */
  headers: Headers;
  body: StoredObject['body'];
  /** Where clients may be sent to the storage for it. */
  link?: StoredObject['link'];
};

/** The same for a client that takes gzip and for one that does not. */
export type Deliverable = { uncompressed: Variant; packed: Variant | null };

/**
 * Whether its URL alone decides on it, so that it may be found by that: what varies does so by
 * other headers too. Texts do by the coding, and thousands of them held whole would fill the
 * memory.
 */
export const isByUrl = ({ uncompressed, packed }: Deliverable): boolean =>
  packed === null && !uncompressed.headers.has('vary');

/**
 * An object as the store has it, or its bytes where they are in memory. `etag` is without quotes.
 */
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

/** Text that is worth packing, in both forms. Each has a tag of its own, as their bytes differ. */
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
