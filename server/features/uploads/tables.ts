import type { Access } from '../../contract/wire.ts';
import type { SqlBoolean } from '../../platform/db/port.ts';

export type UploadRow = {
  id: string;
  bucket_id: string;
  /** Who sends it: 'user:{id}' or 'key'. */
  uploader: string;
  client_id: string;
  /** Of its objects. */
  prefix: string;
  total_chunks: number;
  name: string;
  access: Access;
  resolution: string;
  timeline_preview: SqlBoolean;
  /** Object key of the thumbnail. */
  thumbnail: string | null;
  file_id: string | null;
  /** Moved by every chunk, which also serialises the chunks of one upload. */
  touched_at: number;
  created_at: number;
  expires_at: number;
};

export type UploadChunkRow = {
  upload_id: string;
  number: number;
  size: number;
  object_key: string;
};

export type TusUploadRow = {
  id: string;
  bucket_id: string;
  uploader: string;
  /** Of its objects. */
  prefix: string;
  /** Null while the client has not said it. */
  length: number | null;
  /** Bytes that are stored: the protocol's offset. */
  received: number;
  /** JSON of what the client sent as Upload-Metadata. */
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
