import { DAY, HOUR, MINUTE, UPLOAD_TTL_MS } from '../../../contract/limits.ts';
import { isUnavailable, unavailable } from '../../../errors.ts';
import { runStatements } from '../../../platform/db/batch.ts';
import type { Tx } from '../../../platform/db/port.ts';
import { newId } from '../../../platform/ids.ts';
import type { Locks } from '../../../platform/locks/port.ts';
import {
  cancelDelete,
  postponeDelete,
  scheduleDelete,
} from '../../../platform/storage/pending-deletes-store.ts';
import type { Slot } from '../../../platform/storage/port.ts';
import type { Bucket } from '../../buckets/service.ts';
import { type Files, objectNameOf, originalPrefix } from '../../files/service.ts';
import type { OriginalDeps } from '../form/store-original.ts';
import { received } from '../form/store-plain.ts';
import { uploadExpired } from '../sessions/complete-upload.ts';
import { createUpload } from '../sessions/create-upload.ts';
import { discardUpload } from '../sessions/discard-upload.ts';
import { newPart } from '../sessions/part-content.ts';
import { findPart, listParts } from '../sessions/parts-store.ts';
import * as sessions from '../sessions/store.ts';
import { rethrowMissing, sourcesOf } from '../sessions/stored-parts.ts';
import type { UploadPartRow, UploadSessionRow } from '../tables.ts';
import {
  listMultipartUploads,
  renewUpload,
  replacePart,
  type UploadRange,
} from './multipart-store.ts';

/** How long an upload stays after its last part. */
const TTL_MS = 7 * DAY;
const RETRY_AFTER_MS = 1000;
/** A part that arrives keeps the bytes of all others on a disk, also when the upload has ended and they no longer count. */
const RENEWAL_INTERVAL_MS = MINUTE;

type Deps = OriginalDeps & { files: Pick<Files, 'createPlain'>; locks: Locks };

/** A multipart upload of an S3 client. */
export type MultipartUpload = UploadSessionRow & { path: string };

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
  | 'actor'
  | 'checksum'
  | 'parts'
  | 'processAs'
> & { etag: string };

type PartOptions = {
  number: number;
  length: number;
  checksum: () => string | null | Promise<string | null>;
};

/** Another request has completed the upload. */
const FINISHED = new Error('The upload is finished.');

/**
 * Uploads in parts, which arrive in any order, more than once, and at the same time. Their bytes are reserved with the
 * upload until it is a file.
 */
export class MultipartUploads {
  /** The completions of this process by the ids of their uploads. */
  private readonly completing = new Map<string, Promise<void>>();
  /** The bytes of the first parts that this process receives, by the ids of their uploads. */
  private readonly firstParts = new Map<string, number>();

  constructor(private readonly deps: Deps) {}

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

  /**
   * Stores a part in place of the one with its number, and returns its MD5 in hex. Throws gone where the upload has
   * ended, storage-full, quota-exceeded, too-large.
   * @param part.length how many bytes it has
   * @param part.checksum returns what is kept as its checksum, once all bytes have arrived
   */
  async putPart(
    bucket: Bucket,
    upload: MultipartUpload,
    part: PartOptions,
    body: ReadableStream<Uint8Array>,
  ): Promise<string> {
    const { number, length } = part;
    if (number === 1) this.firstParts.set(upload.id, length);
    try {
      return await this.storePart(bucket, upload, part, body);
    } finally {
      if (number === 1) this.firstParts.delete(upload.id);
    }
  }

  private async storePart(
    bucket: Bucket,
    upload: MultipartUpload,
    { number, length, checksum }: PartOptions,
    body: ReadableStream<Uint8Array>,
  ): Promise<string> {
    const { objects, clock, buckets } = this.deps;
    const key = `${upload.prefix}${number}.${newId(clock())}`;
    const slot = await this.slotOf(upload, number, length);
    await objects.requireSpace(key, length);
    await this.renew(upload);
    await buckets.quotas.add(upload.prefix, length);
    // Nobody asks for the SHA-256 of a part, and that of the object can't be computed from it.
    const hasher = new Bun.CryptoHasher('md5');
    // It has a pending delete of its own: the upload may be aborted, and what it has stored be deleted, before this is.
    await scheduleDelete(this.deps.database.db, key, clock() + TTL_MS);
    try {
      const renew = () => this.renew(upload, key);
      const hashed = received(body, hasher, clock, renew, RENEWAL_INTERVAL_MS);
      const options = { maxBytes: length, owner: bucket.user_id, slot };
      const { size } = await objects.put(key, hashed, options);
      const md5 = hasher.digest('hex');
      const place = { upload_id: upload.id, position: number };
      const content = { size, object_key: key, md5, checksum: await checksum() };
      await this.keepPart(upload, newPart({ ...place, ...content }));
      return md5;
    } catch (error) {
      // With the database unavailable, the part may be kept nevertheless: the pending delete then decides.
      if (!isUnavailable(error)) {
        await scheduleDelete(this.deps.database.db, key, clock());
        await buckets.quotas.release(upload.prefix, length);
      }
      throw error;
    }
  }

  /** Returns where a part probably begins: clients send parts of one size, of which only the last one may have less. */
  private async slotOf(
    { id }: MultipartUpload,
    number: number,
    length: number,
  ): Promise<Slot | undefined> {
    const first = this.firstParts.get(id) ?? (await findPart(this.deps.database.db, id, 1))?.size;
    const bytes = first ?? length;
    return length <= bytes ? { number: number - 1, bytes } : undefined;
  }

  private async keepPart(upload: MultipartUpload, part: UploadPartRow): Promise<void> {
    await this.renewWith(upload, async (tx, now) => {
      if (!(await cancelDelete(tx, part.object_key))) throw uploadExpired();
      const earlier = await replacePart(tx, part);
      if (earlier !== undefined) await scheduleDelete(tx, earlier, now);
    });
  }

  /** Puts off the end of an upload, and the deletion of a part that is arriving. Throws gone where it has ended. */
  private async renew(upload: MultipartUpload, partKey?: string): Promise<void> {
    await this.renewWith(upload, async (tx, now) => {
      if (partKey !== undefined) await postponeDelete(tx, partKey, now + TTL_MS);
    });
  }

  private async renewWith(
    { id, prefix }: MultipartUpload,
    change: (tx: Tx, now: number) => Promise<void>,
  ): Promise<void> {
    const { database, clock } = this.deps;
    await database.transaction(async (tx) => {
      const now = clock();
      if (!(await renewUpload(tx, id, { now, expiresAt: now + TTL_MS }))) throw uploadExpired();
      await postponeDelete(tx, prefix, now + TTL_MS + HOUR);
      await change(tx, now);
    });
  }

  /**
   * Makes an upload the file that has the bytes of some of its parts, unless it is a file already. The storage joins
   * them, and the parts are deleted. Throws what `Files.createPlain` throws, gone where the upload has ended, and
   * unavailable while another process completes it.
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
      const current = await this.find(bucket.id, upload.id);
      if (!current) throw uploadExpired();
      if (current.file_id === null) await this.join(bucket, upload, parts, file);
    } finally {
      await lock.release();
    }
  }

  private async join(
    bucket: Bucket,
    upload: MultipartUpload,
    parts: UploadPartRow[],
    file: CompletedFile,
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
        async onCreate(tx) {
          const completion = { fileId, expiresAt: clock() + UPLOAD_TTL_MS };
          const otherwise = () => FINISHED;
          await runStatements(tx, [sessions.completion(tx, upload.id, completion, otherwise)]);
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
      if (error !== FINISHED) rethrowMissing(error);
    }
  }
}
