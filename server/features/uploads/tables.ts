import type { Access } from '../../contract/wire.ts';
import type { SqlBoolean } from '../../platform/db/port.ts';

/** A video in chunks, or an image with a client id, which has one chunk and is complete from the start. */
export type UploadRow = {
  id: string;
  bucket_id: string;
  /** The uploader: 'user:{id}', 'key' or 'token:{id}'. */
  uploader: string;
  client_id: string;
  /** The prefix of the upload's objects. */
  prefix: string;
  total_chunks: number;
  name: string;
  access: Access;
  resolution: string;
  timeline_preview: SqlBoolean;
  /** The object key of the thumbnail. */
  thumbnail: string | null;
  file_id: string | null;
  /**
   * When the last chunk arrived, or another request than the first one started to send a chunk; 0 before.
   * Updating it locks the row, so that chunks are counted one by one.
   */
  touched_at: number;
  created_at: number;
  expires_at: number;
};

export type UploadChunkRow = {
  upload_id: string;
  number: number;
  size: number;
  object_key: string;
  /** In hexadecimal; null where a version before 0037_chunk_hashes has stored the chunk. */
  sha256: string | null;
};

export type TusUploadRow = {
  id: string;
  bucket_id: string;
  uploader: string;
  /** The prefix of the upload's objects. */
  prefix: string;
  /** The length of the upload in bytes; null until the client sends it. */
  length: number | null;
  /** How many bytes are stored, which is the offset of the protocol. */
  received: number;
  /** The client's Upload-Metadata as JSON. */
  metadata: string;
  file_id: string | null;
  created_at: number;
  expires_at: number;
};

export type TusPartRow = { upload_id: string; position: number; size: number; object_key: string };

/** The tables of uploads, by their names. */
export type UploadTables = {
  uploads: UploadRow;
  upload_chunks: UploadChunkRow;
  tus_uploads: TusUploadRow;
  tus_parts: TusPartRow;
};
