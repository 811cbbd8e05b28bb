import { newId } from '../../../platform/ids.ts';
import type { Bucket } from '../../buckets/service.ts';
import { createUpload } from '../sessions/create-upload.ts';
import { discardUpload } from '../sessions/discard-upload.ts';
import { listParts } from '../sessions/parts-store.ts';
import * as sessions from '../sessions/store.ts';
import type { UploadPartRow, UploadSessionRow } from '../tables.ts';
import { type CompletedFile, MultipartCompletion } from './multipart-completion.ts';
import { listMultipartUploads, type UploadRange } from './multipart-store.ts';
import { type PartOptions, PartUploads, TTL_MS } from './part-uploads.ts';

type Deps = Omit<ConstructorParameters<typeof MultipartCompletion>[0], 'find'>;

/** A multipart upload of an S3 client. */
export type MultipartUpload = UploadSessionRow & { path: string };

/**
 * Uploads in parts, which arrive in any order, more than once, and at the same time. Their bytes are reserved with the
 * upload until it is a file.
 */
export class MultipartUploads {
  private readonly partUploads: PartUploads;
  private readonly completion: MultipartCompletion;

  constructor(private readonly deps: Deps) {
    this.partUploads = new PartUploads(deps);
    const find = (bucketId: string, id: string) => this.find(bucketId, id);
    this.completion = new MultipartCompletion({ ...deps, find });
  }

  /**
   * Starts an upload, and returns its id. Throws storage-full, quota-exceeded, bucket-full.
   * @param upload.uploader who starts it
   * @param upload.metadata what it becomes, as JSON
   */
  async create(
    bucket: Bucket,
    { path, uploader, metadata }: { path: string; uploader: string; metadata: string },
  ): Promise<string> {
    const now = this.deps.clock();
    const owner = { bucketId: bucket.id, uploader, clientId: null };
    const { id } = await createUpload(this.deps, bucket, owner, {
      id: newId(now),
      protocol: 's3',
      expires_at: now + TTL_MS,
      bytes: 0,
      ...{ path, metadata },
    });
    return id;
  }

  /** Returns an upload of a bucket, also one that has become a file; undefined where there is none. */
  async find(bucketId: string, id: string): Promise<MultipartUpload | undefined> {
    const { database, clock } = this.deps;
    const upload = await sessions.findUpload(database.db, id);
    const isThere =
      upload?.protocol === 's3' && upload.bucket_id === bucketId && upload.expires_at > clock();
    return isThere && upload.path !== null ? { ...upload, path: upload.path } : undefined;
  }

  /** Returns the unfinished uploads to a bucket in the order of their paths. */
  list(bucketId: string, range: Omit<UploadRange, 'now'>): Promise<MultipartUpload[]> {
    const { database, clock } = this.deps;
    return listMultipartUploads(database.db, bucketId, { ...range, now: clock() });
  }

  /** Returns the parts of an upload behind a number. */
  parts(id: string, range: { after: number; limit: number }): Promise<UploadPartRow[]> {
    return listParts(this.deps.database.db, id, range);
  }

  /** Deletes an unfinished upload with its parts. Returns false where there is none. */
  abort(upload: MultipartUpload): Promise<boolean> {
    return discardUpload(this.deps, upload);
  }

  /** Stores a part; see `PartUploads.putPart`. */
  putPart(
    bucket: Bucket,
    upload: MultipartUpload,
    part: PartOptions,
    body: ReadableStream<Uint8Array>,
  ): Promise<string> {
    return this.partUploads.putPart(bucket, upload, part, body);
  }

  /** Makes an upload a file; see `MultipartCompletion.complete`. */
  complete(
    bucket: Bucket,
    upload: MultipartUpload,
    parts: UploadPartRow[],
    file: CompletedFile,
  ): Promise<void> {
    return this.completion.complete(bucket, upload, parts, file);
  }
}
