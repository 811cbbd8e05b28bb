/** A bucket of another S3 server, and the access key that reads it. */
export type RemoteBucketSettings = {
  /** The URL of the server, without a path. */
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  bucket: string;
};

/**
 * An object as lists have it, which need not be true. The ETag is without quotes, and '' where it is longer than that of any
 * S3 server.
 */
export type RemoteEntry = { key: string; size: number; etag: string };

/** An object that is being read. */
export type RemoteObject = {
  /** Its headers as they were sent: type, caching, coding and user metadata. */
  headers: Headers;
  /** Its ETag, as entries have it. */
  etag: string;
  /** How many bytes it has; null where the server only tells by sending them. */
  size: number | null;
  /** The MD5 of its bytes in hex; null where the server doesn't tell it. */
  md5: string | null;
  /** Fails where not all bytes come. It must be read to its end, or `close` called. */
  body: AsyncIterable<Uint8Array>;
  close: () => void;
};

/** A bucket of another S3 server. All calls throw RemoteBucketError. */
export type RemoteBucket = {
  /** Returns the next objects with a prefix behind a key, in the order of their keys; '' for the first ones. */
  list(
    range: { prefix: string; after: string },
    options: { limit?: number; signal: AbortSignal },
  ): Promise<{ entries: RemoteEntry[]; isLast: boolean }>;
  /** Opens an object, unless it has changed since it was listed. Without an ETag it is opened as it is now. */
  open(entry: Pick<RemoteEntry, 'key' | 'etag'>, signal: AbortSignal): Promise<RemoteObject>;
};

export type OpenRemoteBucket = (settings: RemoteBucketSettings) => Promise<RemoteBucket>;

/**
 * Why a call failed, in a sentence for the user who has chosen the server. `missing` is an object that is not there,
 * `refused` stays as it is until somebody changes the server or the settings, and `unavailable` may pass.
 */
export class RemoteBucketError extends Error {
  override name = 'RemoteBucketError';
  constructor(
    readonly kind: 'missing' | 'refused' | 'unavailable',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
