/** A file as it is exported. */
export type ExportedFile = {
  path: string;
  /** Null where it is not known before the bytes are read. */
  size: number | null;
  /** Without quotes. */
  etag: string;
  contentType: string;
  /** Its headers for caching and the like, by their names in lower case. */
  headers: Record<string, string>;
  metadata: Record<string, string>;
  /** When this version of it was uploaded, in epoch milliseconds. */
  createdAt: number;
};

/** Where files are exported to. Both calls throw a sentence where a file can't be there. */
export type ExportTarget = {
  /** Whether it has this version of a file already. */
  has(file: ExportedFile): Promise<boolean>;
  /** Stores a file, whole or not at all. */
  put(file: ExportedFile, body: ReadableStream<Uint8Array>): Promise<void>;
};
