/** Stores bytes by key. `keys.ts` checks the keys. An object never changes after it was put. */
export type ObjectStore = {
  /**
   * Stores a stream under `key`. It is durable when the promise resolves. When it rejects, nothing is visible under
   * `key`, and when the process dies before, nothing or all of it; where the machine loses its power before, a part of
   * an object may be that is the first one of its folder. Of two puts of one key, the object of the one that finishes
   * last stays, complete. Throws AppError too-large past `maxBytes`, and storage-full when the
   * disk is full but for its reserve. Where puts wait for each other, the owners (accounts) take turns.
   */
  put(
    key: string,
    body: ReadableStream<Uint8Array>,
    options?: {
      maxBytes?: number;
      signal?: AbortSignal;
      owner?: string | undefined;
      slot?: Slot | undefined;
    },
  ): Promise<{ size: number }>;
  /** Moves a local file into the store, as durably as `put`; the local file is gone afterwards. */
  putFile(key: string, path: string): Promise<{ size: number }>;
  /**
   * Stores the bytes of other objects one after the other under `key`, as durably as `put` and without
   * passing them through this process where the storage can. A disk copies nothing of objects that are in the slots of
   * a folder, from the first one on, and fill them. The objects stay. Throws AppError not-found
   * where one of them is missing, and storage-full as `put` does.
   */
  compose(
    key: string,
    sources: SourceObject[],
    options?: { owner?: string | undefined },
  ): Promise<{ size: number }>;
  /** Stores the bytes of another object under `key`, as `compose` does for several. */
  copy(
    key: string,
    source: SourceObject,
    options?: { owner?: string | undefined },
  ): Promise<{ size: number }>;
  /** Returns what is known about an object without its bytes; null where there is no such object. */
  head(key: string): Promise<ObjectHead | null>;
  open: OpenObject;
  /** Yields the objects below a prefix that ends in '/', or all objects for '', in no order. */
  list(prefix: string): AsyncIterable<{ key: string; size: number }>;
  /**
   * Deletes an object. A missing object is not an error. Where objects are in one file, the bytes of one that nobody has
   * read or composed (`isUnread`) are free at once, and those of others with the last of the file.
   */
  delete(key: string, options?: { isUnread?: boolean }): Promise<void>;
  /** Deletes objects, with fewer requests than `delete` where the storage can. */
  deleteMany(keys: string[]): Promise<void>;
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

/**
 * Where the bytes of an object are going to be in the one that `compose` makes of objects of the same folder: behind
 * `number` others of `bytes` each. It is a hint, which need not come true, and none where the object could be larger:
 * `maxBytes` must say that it is not. Such a key is put only once.
 */
export type Slot = { number: number; bytes: number };

/** An object that is there, and its size in bytes as the store has told it. */
export type SourceObject = { key: string; size: number };

/** `modifiedAt` is in epoch milliseconds. */
export type ObjectHead = { size: number; modifiedAt: number };

/**
 * Opens an object for reading. Returns null where there is no such object. A caller that knows the size
 * gets only the bytes: S3 is then not asked for it, and a missing object may show only when its body is
 * read, which fails with AppError not-found.
 */
export type OpenObject = {
  (key: string): Promise<StoredObject | null>;
  (key: string, known: { size: number } | undefined): Promise<ObjectBytes | null>;
};

export type ObjectBytes = Pick<StoredObject, 'size' | 'body' | 'stream'>;

export type StoredObject = ObjectHead & {
  /** Returns the bytes from `start` up to but not including `end`; all of them without a range. */
  body(range?: { start: number; end: number }): Blob | ReadableStream<Uint8Array>;
  /**
   * Returns the same as a stream that takes little memory, and that is to be read to its end or cancelled, as its file stays
   * open until then. A store without it has streams as bodies.
   */
  stream?(range?: { start: number; end: number }): ReadableStream<Uint8Array>;
  /** Returns a presigned URL that is valid for so many seconds. Not every store has one. */
  link?(seconds: number, headers: LinkHeaders): Promise<string>;
};

/** Headers of the response of a presigned URL. */
export type LinkHeaders = { contentType: string; contentDisposition: string; cacheControl: string };
