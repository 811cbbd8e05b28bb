/** Where bytes live. Keys are checked by `keys.ts`; an object, once put, never changes. */
export type ObjectStore = {
  /**
   * Stores a stream under `key`. It is durable when the promise resolves; when it
   * rejects, or the process dies before, nothing is visible under `key`.
   * Throws AppError too-large past `maxBytes`, storage-full when the disk is full. Putting a
   * key twice leaves one of the two, whole: the one that finished last.
   */
  put(
    key: string,
    body: ReadableStream<Uint8Array>,
    options?: { maxBytes?: number; signal?: AbortSignal },
  ): Promise<{ size: number }>;
  /** Moves a local file into the store, as durable as `put`; the local file is gone afterwards. */
  putFile(key: string, path: string): Promise<{ size: number }>;
  /** Null where there is no such object. */
  open(key: string): Promise<StoredObject | null>;
  /** What is below a prefix that ends in '/', or everything for '', in no order. */
  list(prefix: string): AsyncIterable<{ key: string; size: number }>;
  /** Removing what is not there is not an error. */
  delete(key: string): Promise<void>;
  /** Removes everything below a prefix that ends in '/'. */
  deletePrefix(prefix: string): Promise<void>;
  /** Removes what puts that were cut off left out of sight. `now` is in epoch milliseconds. */
  tidy(now: number): Promise<void>;
  /** Throws when the store can't be written to. */
  check(): Promise<void>;
};

export type StoredObject = {
  size: number;
  /** Epoch milliseconds. */
  modifiedAt: number;
  /** The bytes from `start` up to, not including, `end`; all of them without a range. */
  body(range?: { start: number; end: number }): Blob | ReadableStream<Uint8Array>;
  /** An address that hands the bytes out by itself for so many seconds; not every store has one. */
  link?(seconds: number, answer: LinkAnswer): Promise<string>;
  /** Names the bytes: in one store, the same bytes have the same hash. Safe in an ETag. */
  hash(): Promise<string>;
};

/** Headers of what a link answers. */
export type LinkAnswer = { contentType: string; contentDisposition: string; cacheControl: string };
