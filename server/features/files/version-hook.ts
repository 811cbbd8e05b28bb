import type { FileDetailWire } from '../../contract/wire.ts';
import type { Statement } from '../../platform/db/batch.ts';
import type { Tx } from '../../platform/db/port.ts';
import type { Bucket } from '../buckets/service.ts';
import type { CompleteUpload } from './create-from-upload.ts';
import type { FileWork } from './file-wire.ts';
import type { PlainUpload } from './plain-files.ts';
import type { FileWithRegion } from './store.ts';
import type { FileRow, MediaFileRow } from './tables.ts';

/** A file that is delivered as it was uploaded, as far as its bytes are read or processed. */
export type PlainBytes = Pick<PlainUpload, 'fileId' | 'contentType' | 'key' | 'size'> & {
  bucket: Pick<Bucket, 'id' | 'user_id'>;
} & Partial<Pick<PlainUpload, 'prefix' | 'name' | 'processAs'>>;

/** A file as far as it tells whether something may still work on it. */
export type WorkedOn = Pick<MediaFileRow, 'id' | 'status'> &
  Pick<FileRow, 'file_type' | 'content_type'>;

/** What a feature above this one makes of files, such as the sizes of a video. */
export type VersionHook = {
  /**
   * Returns the statements that start the work on an upload, for the batch that inserts its file. They keep the
   * uploaded objects, whose deletion is pending; the batch throws what the upload says where that has started.
   */
  onVersion(upload: CompleteUpload): Statement[];
  /** Starts that work, after the commit. */
  afterVersion(file: Pick<MediaFileRow, 'file_type'>): void;
  /** Returns the statements that start the work on a file that is delivered as it was uploaded, which are none for most. */
  onPlain(upload: PlainBytes): Statement[];
  /** Starts that work, after the commit. */
  afterPlain(upload: Pick<PlainBytes, 'contentType' | 'processAs'>): void;
  /** Ends the work on files in the transaction that deletes their rows. */
  onDeletion(tx: Tx, files: WorkedOn[]): Promise<void>;
  /** Stops what still runs of that work, after the commit. */
  afterDeletion(files: WorkedOn[]): void;
  /** Returns what is known of the work on files, by their ids. */
  workOf(
    files: Pick<MediaFileRow, 'id' | 'file_type' | 'status'>[],
  ): Promise<(id: string) => FileWork>;
  /** Returns what the details of a file tell of the work on it, and of what that has made. */
  detailsOf(file: FileWithRegion): Promise<Pick<FileDetailWire, 'attempts' | 'renditions'>>;
};
