import type { Access, FileStatus, FileType } from '../../contract/wire.ts';
import type { SqlBoolean } from '../../platform/db/port.ts';

export type FileRow = {
  id: string;
  bucket_id: string;
  name: string;
  size: number;
  file_type: FileType;
  access: Access;
  status: FileStatus;
  /** Why processing failed, for a person. */
  error: string | null;
  /** Where the published objects are; null until there are any. Ends in '/'. */
  prefix: string | null;
  /** Where the uploaded bytes are; null once they are gone. Ends in '/'. */
  source_prefix: string | null;
  /** The object below `prefix` that a viewer opens first. */
  entry: string | null;
  width: number | null;
  height: number | null;
  duration: number | null;
  playable: SqlBoolean;
  /** Base64, for the picture that stands in while the real one loads. */
  thumb_hash: string | null;
  /** Names below `prefix` of a video's poster and of the WebVTT file of its previews. */
  poster: string | null;
  previews: string | null;
  /** WebP was asked for, but the original is smaller and is what is delivered. */
  kept_original: SqlBoolean;
  /** JSON of what is stored, by rendition; null until it is published, and of older files. */
  renditions: string | null;
  /** Of what was uploaded, in hex; null until it has been read. */
  sha256: string | null;
  /** All that is stored for this file: original, renditions, derivatives. */
  stored_bytes: number;
  created_at: number;
};

/** The tables of files, by their names. */
export type FileTables = {
  files: FileRow;
};
