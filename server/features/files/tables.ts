import type { ErrorCode } from '../../contract/failure.ts';
import type { Access, FileType } from '../../contract/wire.ts';
import type { Media } from '../media/service.ts';

/**
 * A replaced file is a version of the one at its path, and a deleted one is in the trash. A purged one is there for
 * nobody, until its row is deleted.
 */
export type Removal = 'replaced' | 'deleted' | 'purged';

/** A version of a file. */
export type FileRow = {
  id: string;
  bucket_id: string;
  name: string;
  /** Where the file is in its bucket. It is the only one there until it is superseded. */
  path: string;
  /** The content type of what was uploaded. */
  content_type: string;
  size: number;
  /** A folder is a row without bytes whose path ends in '/'. Only `folders` knows it. */
  file_type: FileType | 'folder';
  access: Access;
  /** The blob of the uploaded bytes; null once they are deleted. */
  blob_id: string | null;
  /** The SHA-256 of the upload in hex; null until the upload has been read. */
  sha256: string | null;
  /**
   * How many bytes are stored for the file: the original, and all that was made of it.
   */
  stored_bytes: number;
  /** When another version took its path, or it was deleted, in epoch milliseconds; null while it is current. */
  superseded_at: number | null;
  /** When the file is deleted, in epoch milliseconds at a whole second; null for never. */
  expires_at: number | null;
  /** The texts that its owner has added, as a JSON object; null for none. */
  metadata: string | null;
  /** The headers that an S3 client has stored with the object, as a JSON object; null for none. */
  headers: string | null;
  /** The tags that an S3 client has put on the object, as a JSON object; null for none. */
  tags: string | null;
  /**
   * The id by which S3 clients know the version: its own where it was stored while the bucket kept versions. `null` in the
   * database for others while they are current; the text 'null' once such a one is an earlier version.
   */
  version_id: string | null;
  /** What has become of a superseded file; null while it is current. */
  removal: Removal | null;
  /** When the file is purged, in epoch milliseconds; null while it stays. */
  purge_at: number | null;
  created_at: number;
};

/** A path of a bucket. */
export type Place = Pick<FileRow, 'bucket_id' | 'path'>;

/** Uploaded bytes. Versions of a bucket can share them, and the last one that is deleted takes them along. */
export type BlobRow = {
  /** The id of the file that the upload became. */
  id: string;
  bucket_id: string;
  /** The prefix of the objects, which are all its own, ending in '/'. */
  prefix: string;
  /** The object that has all bytes; null where they are in several. */
  object_key: string | null;
  size: number;
  /** How many rows of `files` name the blob. */
  refs: number;
  /** The MD5 of the bytes in hex; null where an earlier version has stored them, or they are in several objects. */
  md5: string | null;
  /** The ETag of an object that was uploaded in parts, without quotes; null where it is the MD5 or unknown. */
  etag: string | null;
  /** The checksum that an S3 client has sent, such as `CRC32:AAAAAA==`; null for none. */
  checksum: string | null;
  /** The parts in which an S3 client has uploaded the bytes, as JSON; null for an upload in one request. */
  parts: string | null;
  /**
   * What the bytes of a file tell that is delivered as it was uploaded: how large an image is in pixels, how long audio
   * or an animation plays in milliseconds, and a ThumbHash in base64. Null for others, and where it is unknown.
   */
  width: number | null;
  height: number | null;
  duration: number | null;
  thumb_hash: string | null;
  created_at: number;
};

/** A file with its media, as stores return it. Only `retention` knows files that are not current. */
export type MediaFileRow = Omit<FileRow, 'removal' | 'purge_at' | 'file_type'> & {
  file_type: FileType;
} & Media;

/** The move, the copy or the deletion of a folder. */
export type FolderJobRow = {
  id: string;
  bucket_id: string;
  action: 'move' | 'copy' | 'delete';
  /** The account of the bucket; null where an earlier version has started the job. */
  user_id: string | null;
  /** The folder, which ends in '/', and where it goes; null where it is deleted. */
  source: string;
  target: string | null;
  /** The bucket into which it is copied; null for other jobs. */
  target_bucket_id: string | null;
  /** Who started it, as JSON. */
  actor: string;
  status: 'running' | 'completed' | 'stopped';
  /** The path from which the next slice goes on. */
  position: string;
  /** How many files were moved, copied or deleted, and how many could not be. */
  done: number;
  conflicts: number;
  created_at: number;
  /** In epoch milliseconds; null while it runs. */
  ended_at: number | null;
};

/** A file that a folder job could not move, copy or delete. Of each job the first ones are named. */
export type FolderJobFailureRow = {
  job_id: string;
  /** The path of the file, where it still is. */
  path: string;
  /** The code and the message of the error. */
  code: ErrorCode;
  message: string;
};

/** What a link to a ZIP has in it: all files of a folder, or some files. */
export type ZipRow = {
  id: string;
  /** The account of its bucket. */
  user_id: string;
  bucket_id: string;
  /** The folder, which ends in '/'; '' for the top, null for some files. */
  folder: string | null;
  /** The ids of the files as JSON; null for a folder. */
  file_ids: string | null;
  /** Until when the link is valid, in epoch milliseconds. */
  expires_at: number;
};

/** A file that is processed, and replaces another one at a path once it is. */
export type ReplacementRow = {
  file_id: string;
  bucket_id: string;
  path: string;
  /** The id of the file at the path, which may have gone meanwhile. Another one isn't replaced. */
  replaces: string;
  /** The order of the uploads that wait for the same path. */
  position: number;
  /** Who replaces the file, as JSON. */
  actor: string;
};

declare module '../../platform/db/tables.ts' {
  /** The tables of files, by their names. */
  interface Tables {
    files: FileRow;
    blobs: BlobRow;
    folder_jobs: FolderJobRow;
    folder_job_failures: FolderJobFailureRow;
    zips: ZipRow;
    replacements: ReplacementRow;
  }
}
