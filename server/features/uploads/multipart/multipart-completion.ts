import { UPLOAD_TTL_MS } from '../../../contract/limits.ts';
import { AppError, conflict, isUnavailable, unavailable } from '../../../errors.ts';
import { runStatements } from '../../../platform/db/batch.ts';
import { newId } from '../../../platform/ids.ts';
import type { Locks } from '../../../platform/locks/port.ts';
import { scheduleDelete } from '../../../platform/storage/pending-deletes-store.ts';
import type { SourceObject } from '../../../platform/storage/port.ts';
import type { Bucket } from '../../buckets/service.ts';
import { type Files, objectNameOf, originalPrefix } from '../../files/service.ts';
import type { OriginalDeps } from '../form/store-original.ts';
import { uploadExpired } from '../sessions/complete-upload.ts';
import { listParts } from '../sessions/parts-store.ts';
import * as sessions from '../sessions/store.ts';
import { sourcesOf } from '../sessions/stored-parts.ts';
import type { UploadPartRow } from '../tables.ts';
import { hasParts } from './multipart-store.ts';
import type { MultipartUpload } from './multipart-uploads.ts';

const RETRY_AFTER_MS = 1000;

type Deps = OriginalDeps & {
  files: Pick<Files, 'createPlain'>;
  locks: Locks;
  /** Returns an upload of a bucket; undefined where there is none. */
  find: (bucketId: string, id: string) => Promise<MultipartUpload | undefined>;
};

type PlainUpload = Parameters<Files['createPlain']>[0];

/** What a multipart upload becomes, beside its bytes. */
export type CompletedFile = Pick<
  PlainUpload,
  | 'name'
  | 'path'
  | 'access'
  | 'contentType'
  | 'stored'
  | 'preconditions'
  | 'expectedFile'
  | 'actor'
  | 'checksum'
  | 'parts'
> & {
  etag: string;
  /**
   * Looks at the joined bytes, as a part may be replaced while its own are read. Returns as what they are processed. Throws
   * where they are not accepted.
   */
  inspect: (object: SourceObject) => Promise<PlainUpload['processAs']>;
};

/** Another request has completed the upload. */
const FINISHED = new Error('The upload is finished.');
/** A part that is being joined was sent again, and its bytes may be gone. */
const REPLACED = new Error('A part was sent again.');
const partReplaced = () => conflict('A part of the upload was sent again meanwhile. Try again.');
/** How often parts are joined that clients send again meanwhile. */
const MAX_JOINS = 3;

/** Makes uploads files. */
export class MultipartCompletion {
  /** The completions of this process by the ids of their uploads. */
  private readonly completing = new Map<string, Promise<void>>();

  constructor(private readonly deps: Deps) {}

  /**
   * Makes an upload the file that has the bytes of some of its parts, unless it is a file already. The storage joins
   * them, and the parts are deleted. Throws what `Files.createPlain` and `inspect` throw, gone where the upload has
   * ended, and unavailable while another process completes it.
   */
  async complete(
    bucket: Bucket,
    upload: MultipartUpload,
    parts: UploadPartRow[],
    file: CompletedFile,
  ): Promise<void> {
    const { id } = upload;
    // Each would store a copy of all bytes, which is not reserved, so there is only one at a time.
    while (this.completing.has(id)) await this.completing.get(id)?.catch(() => {});
    const work = this.completeAlone(bucket, upload, parts, file);
    this.completing.set(id, work);
    try {
      await work;
    } finally {
      this.completing.delete(id);
    }
  }

  private async completeAlone(
    bucket: Bucket,
    upload: MultipartUpload,
    parts: UploadPartRow[],
    file: CompletedFile,
  ): Promise<void> {
    const lock = await this.deps.locks.tryTake(`multipart-${upload.id}`);
    if (!lock) throw unavailable('The upload is being completed. Try again.', RETRY_AFTER_MS);
    try {
      const current = await this.deps.find(bucket.id, upload.id);
      if (!current) throw uploadExpired();
      if (current.file_id === null) await this.joinCurrent(bucket, upload, parts, file);
    } finally {
      await lock.release();
    }
  }

  /** Joins parts also where they are sent again meanwhile with the same bytes. Throws conflict where they have others. */
  private async joinCurrent(
    bucket: Bucket,
    upload: MultipartUpload,
    parts: UploadPartRow[],
    file: CompletedFile,
  ): Promise<void> {
    let current = parts;
    for (let joins = 1; ; joins += 1) {
      try {
        return await this.join(bucket, upload, current, file);
      } catch (error) {
        if (error !== REPLACED) throw error;
        current = await this.storedNow(upload, parts);
        if (joins === MAX_JOINS) throw partReplaced();
      }
    }
  }

  /** Returns how parts are stored now. Throws conflict where one of them has other bytes. */
  private async storedNow({ id }: MultipartUpload, parts: UploadPartRow[]) {
    const limit = Math.max(...parts.map(({ position }) => position));
    const stored = await listParts(this.deps.database.db, id, { after: 0, limit });
    const current = new Map(stored.map((part) => [part.position, part]));
    return parts.map(({ position, md5, size }) => {
      const part = current.get(position);
      if (part?.md5 !== md5 || part?.size !== size) throw partReplaced();
      return part;
    });
  }

  private async join(
    bucket: Bucket,
    upload: MultipartUpload,
    parts: UploadPartRow[],
    { inspect, ...file }: CompletedFile,
  ): Promise<void> {
    const { database, objects, clock, files, regionRouter } = this.deps;
    const fileId = newId(clock());
    const prefix = originalPrefix(regionRouter(bucket.region).root, bucket.id, fileId);
    const key = prefix + objectNameOf(file.name);
    await scheduleDelete(database.db, prefix, clock() + UPLOAD_TTL_MS);
    try {
      const { size } = await objects.compose(key, sourcesOf(parts), { owner: bucket.user_id });
      await files.createPlain({
        ...file,
        ...{ fileId, bucket, prefix, key, size, sha256: null, md5: null },
        ...{ onConflict: 'replace', expired: uploadExpired },
        processAs: await inspect({ key, size }),
        async onCreate(tx) {
          const completion = { fileId, expiresAt: clock() + UPLOAD_TTL_MS };
          const otherwise = () => FINISHED;
          await runStatements(tx, [sessions.completion(tx, upload.id, completion, otherwise)]);
          // The row of the upload is locked, which who replaces a part locks too.
          if (!(await hasParts(tx, upload.id, parts))) throw REPLACED;
          // The reservation ends with it: the file counts from now on.
          await scheduleDelete(tx, upload.prefix, clock());
        },
      });
    } catch (error) {
      // With the database unavailable, the file may exist nevertheless: the pending delete then decides.
      if (!isUnavailable(error)) {
        await objects.delete(key);
        await scheduleDelete(database.db, prefix, clock());
      }
      if (error === FINISHED) return;
      if (!(error instanceof AppError) || error.code !== 'not-found') throw error;
      throw (await hasParts(database.db, upload.id, parts)) ? uploadExpired() : REPLACED;
    }
  }
}
