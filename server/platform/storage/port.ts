/** Stores bytes by key. `keys.ts` checks the keys. An object never changes after it was put. */
export type ObjectStore = {
  /**
   * Stores a stream under `key`. It is durable when the promise resolves; when it rejects, or the process
   * dies before, nothing is visible under `key`. Of two puts of one key, the object of the one that
   * finishes last stays, complete. Throws AppError too-large past `maxBytes`, and storage-full when the
   * disk is full but for its reserve. Where puts wait for each other, the owners (accounts) take turns.
   */
  put(
    key: string,
    body: ReadableStream<Uint8Array>,
    options?: { maxBytes?: number; signal?: AbortSignal; owner?: string | undefined },
  ): Promise<{ size: number }>;
  /** Moves a local file into the store, as durably as `put`; the local file is gone afterwards. */
  putFile(key: string, path: string): Promise<{ size: number }>;
  /** Returns null where there is no such object. */
  open(key: string): Promise<StoredObject | null>;
  /** Yields the objects below a prefix that ends in '/', or all objects for '', in no order. */
  list(prefix: string): AsyncIterable<{ key: string; size: number }>;
  /** Deletes an object. A missing object is not an error. */
  delete(key: string): Promise<void>;
  /**
   * Deletes everything below a prefix that ends in '/'. It ends early, and returns false, once `isOver`
   * returns true; another call continues.
   */
  deletePrefix(prefix: string, isOver?: () => boolean): Promise<boolean>;
  /**
   * Throws storage-full where `bytes` more below a prefix would not fit now. That is no reservation: a put
   * can still fail.
   */
  requireSpace(prefix: string, bytes: number): Promise<void>;
  /** Removes what unfinished puts have left behind out of sight. `now` is in epoch milliseconds. */
  tidy(now: number): Promise<void>;
  /** Throws when the store can't be written to. */
  check(): Promise<void>;
};

export type StoredObject = {
  size: number;
  /** In epoch milliseconds. */
  modifiedAt: number;
  /** Returns the bytes from `start` up to but not including `end`; all of them without a range. */
  body(range?: { start: number; end: number }): Blob | ReadableStream<Uint8Array>;
  /** Returns a presigned URL that is valid for so many seconds. Not every store has one. */
  link?(seconds: number, headers: LinkHeaders): Promise<string>;
};

/** Headers of the response of a presigned URL. */
export type LinkHeaders = { contentType: string; contentDisposition: string; cacheControl: string };
