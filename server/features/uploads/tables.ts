/** How an upload arrives: whole in a form, in chunks that are forms, by tus, or in the parts of an S3 client. */
export type UploadProtocol = 'form' | 'chunked' | 'tus' | 's3';

/** An upload that is not yet a file, or became one in the last 24 hours. */
export type UploadSessionRow = {
  id: string;
  bucket_id: string;
  /** The uploader: 'user:{id}', 'key', 'key:{id}' or 'token:{id}'. */
  uploader: string;
  protocol: UploadProtocol;
  /** The id by which the client knows the upload; null for tus. */
  client_id: string | null;
  /** The prefix of the upload's objects. */
  prefix: string;
  /** The client's Upload-Metadata, or what its form says by the same names, as JSON. */
  metadata: string;
  /** The object key of the thumbnail of a video in chunks. */
  thumbnail: string | null;
  /** How many chunks a video has. */
  total_parts: number | null;
  /** The length of a tus upload in bytes; null until the client sends it. */
  length: number | null;
  /** How many bytes of a tus upload are stored, which is the offset of the protocol. */
  received: number;
  file_id: string | null;
  /**
   * When the last chunk arrived, or another request than the first one started to send a chunk; 0 before.
   * Updating it locks the row, so that chunks are counted one by one.
   */
  touched_at: number;
  created_at: number;
  expires_at: number;
  /** Where the file of an S3 client is to be; null for the other protocols, whose clients say so in `metadata`. */
  path: string | null;
};

/** What has arrived of an upload, as one object. */
export type UploadPartRow = {
  upload_id: string;
  /** The number of a chunk or of a part of an S3 client, or the offset of the part in a tus upload. */
  position: number;
  size: number;
  object_key: string;
  /** In hexadecimal; null for tus, and where a version before 0037_chunk_hashes has stored the chunk. */
  sha256: string | null;
  /** In hexadecimal; null for the protocols that don't tell it. */
  md5: string | null;
  /** The checksum that an S3 client has sent with it, such as `CRC32:AAAAAA==`; null for none. */
  checksum: string | null;
};

declare module '../../platform/db/tables.ts' {
  /** The tables of uploads, by their names. */
  interface Tables {
    upload_sessions: UploadSessionRow;
    upload_parts: UploadPartRow;
  }
}
