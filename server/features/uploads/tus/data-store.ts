import type { Readable } from 'node:stream';
import { DataStore, ERRORS, Upload } from '@tus/server';
import { UPLOAD_TTL_MS } from '../../../contract/limits.ts';
import { isUnavailable } from '../../../errors.ts';
import { newId } from '../../../platform/ids.ts';
import type { ObjectStore } from '../../../platform/storage/port.ts';
import { isRuleRefusal, sizeRefusal } from '../../buckets/service.ts';
import type { IdentifiedUpload } from '../parsing/identify.ts';
import { type Receiving, whileReceiving } from '../receiving.ts';
import type { Uploads } from '../service.ts';
import { uploadExpired } from '../sessions/complete-upload.ts';
import { ContentHasher } from '../sessions/content-hashes.ts';
import { createUpload, type UploadDeps } from '../sessions/create-upload.ts';
import { withoutPreconditions } from '../sessions/description.ts';
import { discardIfRefused, discardUpload } from '../sessions/discard-upload.ts';
import { newPart } from '../sessions/part-content.ts';
import { appendPart, countParts } from '../sessions/parts-store.ts';
import { reserveArriving } from '../sessions/reserve-arriving.ts';
import * as store from '../sessions/store.ts';
import type { UploadPartRow, UploadSessionRow } from '../tables.ts';
import { MIN_PART_BYTES, partsOf, requirePartSize } from './parts.ts';
import { claimedVerifier, currentRequest } from './request-headers.ts';

export type TusStoreDeps = UploadDeps & {
  objects: ObjectStore;
  uploads: Pick<Uploads, 'stopping'>;
};

/** What the store calls when an upload has its first bytes, and is complete. */
export type TusRules = {
  /** Returns what an upload is by its first bytes. Throws where those are not of an accepted file. */
  check(upload: UploadSessionRow): Promise<IdentifiedUpload>;
  /**
   * Creates the file of a complete upload, once even if it is called again.
   * @param hasher has hashed all of its bytes; null where it has not
   */
  finish(upload: UploadSessionRow, hasher: ContentHasher | null): Promise<void>;
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

  constructor(
    private readonly deps: TusStoreDeps,
    private readonly rules: TusRules,
  ) {
    super();
  }

  override async create(upload: Upload): Promise<Upload> {
    const { bucket, uploader } = currentRequest().caller;
    const owner = { bucketId: bucket.id, uploader, clientId: null };
    const { created_at } = await createUpload(this.deps, bucket, owner, {
      id: upload.id,
      protocol: 'tus',
      length: upload.size ?? null,
      bytes: upload.size ?? 0,
      metadata: JSON.stringify({ ...upload.metadata, ...currentRequest().preconditions }),
    });
    upload.creation_date = new Date(created_at).toISOString();
    // No request with bytes follows that could finish it.
    if (upload.size === 0) await this.rules.finish(await this.find(upload.id), null);
    return upload;
  }

  override write(stream: Readable, id: string, offset: number): Promise<number> {
    const { stopping } = this.deps.uploads;
    const receive = ({ ended, onBytes }: Receiving) => {
      ended.addEventListener('abort', () => stream.destroy(ended.reason));
      return this.receive(stream, id, offset, onBytes);
    };
    return whileReceiving(currentRequest().caller, receive, { stopping });
  }

  private async receive(
    stream: Readable,
    id: string,
    offset: number,
    onBytes: () => void,
  ): Promise<number> {
    const { objects, clock } = this.deps;
    const verifier = claimedVerifier();
    const { prefix, length, expires_at } = await this.find(id);
    // What a slow client sends after that would not count for its account.
    const expire = () => stream.destroy(uploadExpired());
    const timer = setTimeout(expire, expires_at - clock());
    const reserve = length === null ? this.reserveUnknown(prefix, offset) : null;
    let waiting: UploadPartRow[] = [];
    let position = offset;
    let hasher = offset === 0 ? new ContentHasher() : null;
    const keep = async () => {
      await this.append(id, waiting);
      const isFirst = waiting[0]?.position === 0;
      waiting = [];
      // The hash of an image or a video is computed with its processing.
      if (isFirst && (await this.rules.check(await this.find(id))).type !== 'file') hasher = null;
    };
    const observe = async (bytes: Uint8Array) => {
      onBytes();
      await reserve?.(bytes.byteLength);
      verifier?.update(bytes);
      hasher?.update(bytes);
    };
    try {
      for await (const part of partsOf(observed(stream, observe))) {
        const key = `${prefix}${position}.${newId(clock())}`;
        const { size } = await objects.put(key, part.body, {
          owner: currentRequest().caller.bucket.user_id,
        });
        waiting.push(newPart({ upload_id: id, position, size, object_key: key }));
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
        await objects.deleteMany(waiting.map(({ object_key }) => object_key));
      if (isRuleRefusal(error)) await discardUpload(this.deps, { id, prefix });
      throw error;
    } finally {
      clearTimeout(timer);
    }
    const upload = await this.find(id);
    if (position === upload.length) await this.rules.finish(upload, hasher);
    return position;
  }

  /** Returns the function that reserves the bytes of an upload of unknown length, as far as its bucket accepts them. */
  private reserveUnknown(prefix: string, offset: number): (bytes: number) => Promise<void> {
    const { quotas } = this.deps.buckets;
    const reserve = reserveArriving(quotas, prefix, { before: offset });
    let received = offset;
    return async (bytes) => {
      received += bytes;
      requireSize(received);
      await reserve(bytes);
    };
  }

  /**
   * Counts stored parts, all or none. Throws where the offset of the upload has changed, and invalid where its parts
   * are too many and too small.
   */
  private async append(id: string, parts: UploadPartRow[]): Promise<void> {
    await this.deps.database.transaction(async (tx) => {
      const [first] = parts;
      if (first && first.size < MIN_PART_BYTES) {
        requirePartSize({ parts: await countParts(tx, id), received: first.position });
      }
      for (const part of parts) {
        if (!(await appendPart(tx, part))) throw ERRORS.INVALID_OFFSET;
      }
    });
  }

  override async getUpload(id: string): Promise<Upload> {
    const row = await this.find(id);
    // After a crash between the last part and the file, the file is created when the client asks
    // again.
    if (row.received === row.length && !row.file_id) await this.rules.finish(row, null);
    // A client that says the length with its last bytes repeats it where these were cut off. The library
    // refuses a length that it knows, and has the same one declared again.
    const isKnown = row.length !== null && row.length !== currentRequest().length;
    return new Upload({
      id,
      ...(isKnown && { size: row.length ?? 0 }),
      offset: row.received,
      metadata: withoutPreconditions(JSON.parse(row.metadata)),
      // The library adds the lifetime of an upload, which starts again when the upload becomes a file.
      creation_date: new Date(row.expires_at - UPLOAD_TTL_MS).toISOString(),
    });
  }

  override async declareUploadLength(id: string, length: number): Promise<void> {
    const { database, buckets } = this.deps;
    const row = await this.find(id);
    if (row.length === length) return;
    await discardIfRefused(this.deps, row, async () => requireSize(length));
    await buckets.quotas.extend(row.prefix, length);
    await store.setLength(database.db, id, length);
  }

  override async remove(id: string): Promise<void> {
    if (!(await discardUpload(this.deps, await this.find(id)))) throw ERRORS.INVALID_TERMINATION;
  }

  override getExpiration(): number {
    return UPLOAD_TTL_MS;
  }

  /** The housekeeping deletes expired uploads of all kinds, so this does nothing. */
  override async deleteExpired(): Promise<number> {
    return 0;
  }

  private async find(id: string): Promise<UploadSessionRow> {
    const { database, clock } = this.deps;
    const row = await store.findUpload(database.db, id);
    if (!row || row.expires_at <= clock()) throw ERRORS.FILE_NOT_FOUND;
    return row;
  }
}

/** Throws too-large and bucket-full where the bucket of the request does not accept a file of so many bytes. */
function requireSize(bytes: number): void {
  const refusal = sizeRefusal(currentRequest().caller.bucket, bytes);
  if (refusal) throw refusal;
}

async function* observed(
  stream: Readable,
  observe: (bytes: Uint8Array) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of stream) {
    await observe(bytes);
    yield bytes;
  }
}
