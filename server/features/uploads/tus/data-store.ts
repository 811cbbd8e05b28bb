import type { Readable } from 'node:stream';
import { DataStore, ERRORS, Upload } from '@tus/server';
import { HOUR, UPLOAD_TTL_MS } from '../../../contract/limits.ts';
import { badRequest, gone, isUnavailable } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/port.ts';
import { newId } from '../../../platform/ids.ts';
import type { ObjectStore } from '../../../platform/storage/port.ts';
import type { Bucket, Buckets } from '../../buckets/service.ts';
import { uploadPrefix } from '../../files/service.ts';
import { untilRevoked } from '../revocation.ts';
import type { TusPartRow, TusUploadRow } from '../tables.ts';
import { discardUpload } from './finish.ts';
import { PART_BYTES, partsOf } from './parts.ts';
import { claimedVerifier, currentCaller, type Verifier } from './request-headers.ts';
import * as store from './store.ts';

export type TusStoreServices = {
  database: Database;
  objects: ObjectStore;
  clock: Clock;
  buckets: Pick<Buckets, 'quotas'>;
  maxVideoBytes: number;
};

/** The bucket and the uploader of an upload. `root` is the key prefix of the bucket's region. */
export type UploadOwner = { bucket: Bucket; uploader: string; root: string };

/** What the store calls when an upload is created, has its first bytes, and is complete. */
export type TusRules = {
  /** Returns the owner of an upload that is being created, and forgets it. */
  takeOwner(id: string): UploadOwner | undefined;
  /** Throws where the first bytes are not those of an accepted file. */
  check(upload: TusUploadRow): Promise<void>;
  /** Creates the file of a complete upload, once even if it is called again. */
  finish(upload: TusUploadRow): Promise<void>;
};

/**
 * Stores tus uploads as objects and rows (tus 1.0.0). Each part is durable and counted before it is
 * acknowledged, so any process with the same storage and database can continue an upload.
 */
export class ObjectDataStore extends DataStore {
  override extensions = [
    'creation',
    'creation-with-upload',
    'creation-defer-length',
    'expiration',
    'termination',
    'checksum',
  ];
  readonly #services: TusStoreServices;
  readonly #rules: TusRules;

  constructor(services: TusStoreServices, rules: TusRules) {
    super();
    this.#services = services;
    this.#rules = rules;
  }

  override async create(upload: Upload): Promise<Upload> {
    const { database, objects, clock, buckets } = this.#services;
    const owner = this.#rules.takeOwner(upload.id);
    if (!owner) throw ERRORS.FILE_NOT_FOUND;
    if (upload.size === 0) throw badRequest('The file is empty.');
    const now = clock();
    const prefix = uploadPrefix(owner.root, upload.id);
    const bytes = upload.size ?? 0;
    await objects.requireSpace(prefix, bytes);
    upload.creation_date = new Date(now).toISOString();
    await database.transaction(async (tx) => {
      const reservation = { prefix, bytes, deleteAt: now + UPLOAD_TTL_MS + HOUR };
      await buckets.quotas.reserve(tx, owner.bucket.user_id, reservation);
      await store.insertUpload(tx, {
        id: upload.id,
        bucket_id: owner.bucket.id,
        uploader: owner.uploader,
        prefix,
        length: upload.size ?? null,
        received: 0,
        metadata: JSON.stringify(upload.metadata ?? {}),
        file_id: null,
        created_at: now,
        expires_at: now + UPLOAD_TTL_MS,
      });
    });
    return upload;
  }

  override write(stream: Readable, id: string, offset: number): Promise<number> {
    return untilRevoked(currentCaller(), (revoked) => {
      revoked.addEventListener('abort', () => stream.destroy(revoked.reason));
      return this.#receive(stream, id, offset);
    });
  }

  async #receive(stream: Readable, id: string, offset: number): Promise<number> {
    const { objects, clock, buckets, maxVideoBytes } = this.#services;
    const verifier = claimedVerifier();
    const { prefix, length, expires_at } = await this.#find(id);
    // What a slow client sends after that would not count for its account.
    const expire = () => stream.destroy(gone('The upload has expired. Start over.'));
    const timer = setTimeout(expire, expires_at - clock());
    let waiting: TusPartRow[] = [];
    let position = offset;
    const keep = async () => {
      await this.#append(waiting);
      const isFirst = waiting[0]?.position === 0;
      waiting = [];
      if (isFirst) await this.#rules.check(await this.#find(id));
    };
    try {
      for await (const part of partsOf(verifier ? observed(stream, verifier) : stream)) {
        const key = `${prefix}${position}.${newId(clock())}`;
        // An upload of unknown length reserves one part at a time.
        if (length === null) {
          await buckets.quotas.extend(prefix, Math.min(position + PART_BYTES, maxVideoBytes));
        }
        const { size } = await objects.put(key, part.body, {
          owner: currentCaller().bucket.user_id,
        });
        waiting.push({ upload_id: id, position, size, object_key: key });
        position += size;
        // With a checksum no part may be kept before all bytes are verified.
        if (!verifier) await keep();
        if (part.failure()) throw part.failure();
      }
      verifier?.verify();
      await keep();
    } catch (error) {
      // With the database unavailable, the parts may count nevertheless: the pending delete then
      // decides.
      if (!isUnavailable(error))
        for (const { object_key } of waiting) await objects.delete(object_key);
      throw error;
    } finally {
      clearTimeout(timer);
    }
    const upload = await this.#find(id);
    if (position === upload.length) await this.#rules.finish(upload);
    return position;
  }

  /** Counts stored parts, all or none. Throws where the offset of the upload has changed. */
  async #append(parts: TusPartRow[]): Promise<void> {
    await this.#services.database.transaction(async (tx) => {
      for (const part of parts) {
        if (!(await store.appendPart(tx, part))) throw ERRORS.INVALID_OFFSET;
      }
    });
  }

  override async getUpload(id: string): Promise<Upload> {
    const row = await this.#find(id);
    // After a crash between the last part and the file, the file is created when the client asks
    // again.
    if (row.received === row.length && !row.file_id) await this.#rules.finish(row);
    return new Upload({
      id,
      ...(row.length !== null && { size: row.length }),
      offset: row.received,
      metadata: JSON.parse(row.metadata),
      creation_date: new Date(row.created_at).toISOString(),
    });
  }

  override async declareUploadLength(id: string, length: number): Promise<void> {
    const { database, buckets } = this.#services;
    const { prefix } = await this.#find(id);
    await buckets.quotas.extend(prefix, length);
    await store.setLength(database.db, id, length);
  }

  override async remove(id: string): Promise<void> {
    const { prefix } = await this.#find(id);
    if (!(await discardUpload(this.#services, { id, prefix }))) throw ERRORS.INVALID_TERMINATION;
  }

  override getExpiration(): number {
    return UPLOAD_TTL_MS;
  }

  /** The housekeeping deletes expired uploads of all kinds, so this does nothing. */
  override async deleteExpired(): Promise<number> {
    return 0;
  }

  async #find(id: string): Promise<TusUploadRow> {
    const { database, clock } = this.#services;
    const row = await store.findUpload(database.db, id, clock());
    if (!row) throw ERRORS.FILE_NOT_FOUND;
    return row;
  }
}

async function* observed(stream: Readable, verifier: Verifier): AsyncGenerator<Uint8Array> {
  for await (const bytes of stream) {
    verifier.update(bytes);
    yield bytes;
  }
}
