import type { Access, FileType } from '../../contract/wire.ts';
import type { FileRow } from '../../platform/db/tables.ts';

/** An uploaded file before it is processed. */
export type NewFile = {
  id: string;
  bucketId: string;
  name: string;
  size: number;
  fileType: FileType;
  access: Access;
  sourcePrefix: string;
  createdAt: number;
};

/** The row of a file that waits to be processed. */
export function newFileRow(file: NewFile): FileRow {
  return {
    id: file.id,
    bucket_id: file.bucketId,
    name: file.name,
    size: file.size,
    file_type: file.fileType,
    access: file.access,
    status: 'processing',
    error: null,
    prefix: null,
    source_prefix: file.sourcePrefix,
    entry: null,
    width: null,
    height: null,
    duration: null,
    playable: 0,
    thumb_hash: null,
    poster: null,
    previews: null,
    kept_original: 0,
    renditions: null,
    sha256: null,
    stored_bytes: file.size,
    created_at: file.createdAt,
  };
}
