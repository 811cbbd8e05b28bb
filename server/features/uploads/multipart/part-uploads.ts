import { DAY, HOUR, MINUTE } from '../../../contract/limits.ts';
import { isUnavailable } from '../../../errors.ts';
import type { Tx } from '../../../platform/db/port.ts';
import { newId } from '../../../platform/ids.ts';
import { areDeletionsPaused } from '../../../platform/storage/deletion-pause-store.ts';
import {
  cancelDelete,
  postponeDelete,
  scheduleDelete,
} from '../../../platform/storage/pending-deletes-store.ts';
import type { Slot } from '../../../platform/storage/port.ts';
import type { Bucket } from '../../buckets/service.ts';
import type { OriginalDeps } from '../form/store-original.ts';
import { received } from '../form/store-plain.ts';
import { uploadExpired } from '../sessions/complete-upload.ts';
import { newPart } from '../sessions/part-content.ts';
import { findPart } from '../sessions/parts-store.ts';
import type { UploadPartRow } from '../tables.ts';
import { renewUpload, replacePart, type StoredPart } from './multipart-store.ts';
import type { MultipartUpload } from './multipart-uploads.ts';

/** How long an upload stays after its last part. */
export const TTL_MS = 7 * DAY;
/** A part that arrives keeps the bytes of all others on a disk, also when the upload has ended and they no longer count. */
const RENEWAL_INTERVAL_MS = MINUTE;
/** Within this time the process that replaces a part frees its bytes itself. */
const REPLACED_TTL_MS = MINUTE;

export type PartOptions = {
  number: number;
  length: number;
  checksum: () => string | null | Promise<string | null>;
};

/** Stores the parts of uploads. */
export class PartUploads {
  /** The bytes of the first parts that this process receives, by the ids of their uploads. */
  private readonly firstParts = new Map<string, number>();

  constructor(private readonly deps: OriginalDeps) {}

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
      const earlier = await this.keepPart(upload, newPart({ ...place, ...content }));
      if (earlier) await this.freeReplaced(upload, earlier);
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

  /** Returns the part that had the number of a new one. */
  private async keepPart(
    upload: MultipartUpload,
    part: UploadPartRow,
  ): Promise<StoredPart | undefined> {
    return this.renewWith(upload, async (tx, now) => {
      if (!(await cancelDelete(tx, part.object_key))) throw uploadExpired();
      const earlier = await replacePart(tx, part);
      if (earlier) await scheduleDelete(tx, earlier.object_key, now + REPLACED_TTL_MS);
      return earlier;
    });
  }

  /**
   * Gives the bytes of a part that was sent again back to the disk and to the account. Who joins it at the moment may read
   * zeros, and finds out before that is a file. Where it fails, the pending delete follows, and the bytes count until the
   * upload ends. A backup copies the objects of parts whose rows it has copied.
   */
  private async freeReplaced(upload: MultipartUpload, { object_key, size }: StoredPart) {
    const { database, objects, clock, buckets } = this.deps;
    try {
      if (await areDeletionsPaused(database.db, clock())) return;
      await objects.delete(object_key, { isUnread: true });
      await buckets.quotas.release(upload.prefix, size);
    } catch {
      // The part itself is stored.
    }
  }

  /** Puts off the end of an upload, and the deletion of a part that is arriving. Throws gone where it has ended. */
  private async renew(upload: MultipartUpload, partKey?: string): Promise<void> {
    await this.renewWith(upload, async (tx, now) => {
      if (partKey !== undefined) await postponeDelete(tx, partKey, now + TTL_MS);
    });
  }

  private async renewWith<Result>(
    { id, prefix }: MultipartUpload,
    change: (tx: Tx, now: number) => Promise<Result>,
  ): Promise<Result> {
    const { database, clock } = this.deps;
    return database.transaction(async (tx) => {
      const now = clock();
      if (!(await renewUpload(tx, id, { now, expiresAt: now + TTL_MS }))) throw uploadExpired();
      await postponeDelete(tx, prefix, now + TTL_MS + HOUR);
      return change(tx, now);
    });
  }
}
