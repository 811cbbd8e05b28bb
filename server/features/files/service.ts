import type {
  Access,
  FileDetailWire,
  FilePageWire,
  FileType,
  FileWire,
} from '../../contract/wire.ts';
import { notFound } from '../../errors.ts';
import { type Actor, quoted, record } from '../../platform/audit/record.ts';
import type { Clock } from '../../platform/clock.ts';
import { toPage } from '../../platform/db/listing.ts';
import type { Database, Tx } from '../../platform/db/port.ts';
import type { FileRow } from '../../platform/db/tables.ts';
import type { Events } from '../../platform/events/port.ts';
import type { Queue } from '../../platform/queue/queue.ts';
import { type RegionRouter, rootOf } from '../../platform/region-routing.ts';
import { scheduleDelete } from '../../platform/storage/pending-deletes.ts';
import type { ObjectStore } from '../../platform/storage/port.ts';
import type { Bucket, Buckets, Webhooks } from '../buckets/service.ts';
import type { Tokens } from '../tokens/service.ts';
import { filePrefix } from './keys.ts';
import { createProcessing, type MediaProcess } from './processing.ts';
import type { Rendition } from './renditions.ts';
import * as store from './store.ts';

export { derivativePrefix, originalPrefix, transientPrefixes, uploadPrefix } from './keys.ts';
export { keptName, slugOf } from './names.ts';
export {
  FILE_EVENTS,
  type FileEventEnvelope,
  type MediaProcess,
  permanentReason,
} from './processing.ts';
export { FileAnswer } from './schema.ts';
export type Files = ReturnType<typeof createFiles>;

const WIPE_BATCH = 100;

/** What delivery needs to know of a file. */
export type DeliveredFile = Pick<
  store.PlacedFile,
  | 'id'
  | 'bucket_id'
  | 'region'
  | 'name'
  | 'access'
  | 'status'
  | 'prefix'
  | 'entry'
  | 'poster'
  | 'file_type'
  | 'width'
  | 'height'
  | 'duration'
  | 'created_at'
>;

export function createFiles(services: {
  database: Database;
  objects: Pick<ObjectStore, 'list' | 'delete' | 'check'>;
  clock: Clock;
  queue: Queue;
  events: Events;
  buckets: Buckets;
  webhooks: Pick<Webhooks, 'announce'>;
  tokens: Tokens;
  media: MediaProcess;
  videoConcurrency: number;
  places: RegionRouter;
  appUrl: string;
  /** Bytes sent of a file this month, and in all. */
  bandwidthOf: (fileId: string) => Promise<{ month: number; total: number }>;
}) {
  const { database, clock, buckets, webhooks, tokens, queue, places, appUrl } = services;
  const { db } = database;

  const urlOf = (row: store.PlacedFile, name: string | null) =>
    name && `${places(row.region).cdnUrl}/${row.bucket_id}/${row.id}/${name}`;

  const toWire = (row: store.PlacedFile, progress: number): FileWire => ({
    id: row.id,
    name: row.name,
    size: row.size,
    file_type: row.file_type,
    access: row.access,
    status: row.status,
    progress: row.status === 'processing' ? progress : 100,
    date: new Date(row.created_at).toISOString(),
    url: urlOf(row, row.entry),
    width: row.width,
    height: row.height,
    duration: row.duration,
    playable: row.playable === 1,
    thumbhash: row.thumb_hash,
    poster: urlOf(row, row.poster),
    previews: urlOf(row, row.previews),
    embed:
      row.file_type === 'video' && row.entry ? `${appUrl}/embed/${row.bucket_id}/${row.id}` : null,
    kept_original: row.kept_original === 1,
    sha256: row.sha256,
    error: row.error,
  });

  const processing = createProcessing({
    ...services,
    announce: (tx, type, row) =>
      webhooks.announce(tx, row.bucket_id, [{ type, file: toWire(row, 0) }]),
  });

  const announceDeleted = (tx: Tx, bucketId: string, rows: store.PlacedFile[]) =>
    webhooks.announce(
      tx,
      bucketId,
      rows.map((row) => ({ type: 'file.deleted', file: toWire(row, 0) })),
    );

  /** Ends what is being done about a file, and dooms what is stored of it. */
  const forget = async (
    tx: Tx,
    file: Pick<FileRow, 'id' | 'bucket_id' | 'prefix' | 'source_prefix'>,
  ): Promise<void> => {
    await queue.cancel(tx, file.id);
    const root = rootOf(file.source_prefix ?? file.prefix);
    await scheduleDelete(tx, filePrefix(root, file.bucket_id, file.id), clock());
    if (file.source_prefix) await scheduleDelete(tx, file.source_prefix, clock());
  };

  return {
    ...processing,

    /** Newest first, with a read token of the bucket. Throws not-found. */
    async list(bucketId: string, filters: store.FileFilters): Promise<FilePageWire> {
      const bucket = await buckets.byId(bucketId);
      if (!bucket) throw notFound('Bucket');
      const rows = await store.listFiles(db, bucketId, filters);
      const waiting = rows.filter((row) => row.status === 'processing').map((row) => row.id);
      const progress = await queue.progressOf(waiting);
      const page = toPage(rows, filters.limit, (row) =>
        toWire({ ...row, region: bucket.region }, progress.get(row.id) ?? 0),
      );
      return { ...page, jwt: await tokens.mintForList(bucket) };
    },

    /** Makes the row of an uploaded file, which waits for its job, and counts it in its bucket. */
    async add(
      tx: Tx,
      file: {
        id: string;
        bucketId: string;
        name: string;
        size: number;
        fileType: FileType;
        access: Access;
        sourcePrefix: string;
        createdAt: number;
      },
    ): Promise<FileWire> {
      const row: FileRow = {
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
      await buckets.receive(tx, file.bucketId, { id: file.id, bytes: file.size });
      await store.insertFile(tx, row);
      // It has no URL yet.
      return toWire({ ...row, region: null }, 0);
    },

    /** Undefined where there is none. */
    async find(fileId: string): Promise<FileWire | undefined> {
      const row = await store.fileById(db, fileId);
      if (!row) return undefined;
      const progress = await queue.progressOf([fileId]);
      return toWire(row, progress.get(fileId) ?? 0);
    },

    /** Everything about one file, with a read token for it for an hour. Throws not-found. */
    async detail(bucket: Bucket, fileId: string): Promise<FileDetailWire> {
      const row = await store.fileById(db, fileId);
      if (row?.bucket_id !== bucket.id) throw notFound('File');
      const [work, bandwidth, jwt] = await Promise.all([
        queue.workOn(row.file_type, fileId),
        services.bandwidthOf(fileId),
        tokens.mintForFile(bucket, fileId),
      ]);
      const stored: Rendition[] | null = row.renditions && JSON.parse(row.renditions);
      const renditions = stored?.map(({ entry, ...one }) => ({ ...one, url: urlOf(row, entry) }));
      return {
        ...toWire(row, work?.progress ?? 0),
        attempts: work?.attempts ?? null,
        renditions: renditions ?? null,
        bandwidth,
        jwt,
      };
    },

    /** Ends its delivery and its processing at once; its objects go by the sweep. Throws not-found. */
    async remove(bucket: Bucket, fileId: string, actor: Actor): Promise<void> {
      const gone = await database.transaction(async (tx) => {
        const file = await store.takeFile(tx, bucket.id, fileId);
        if (!file) return null;
        await forget(tx, file);
        await buckets.add(tx, bucket.id, { bytes: -file.stored_bytes, files: -1, fileId });
        await announceDeleted(tx, bucket.id, [{ ...file, region: bucket.region }]);
        await record(tx, clock(), {
          section: 'files',
          action: 'file.deleted',
          message: `File ${quoted(file.name)} was deleted.`,
          actor,
          subject: fileId,
          details: { bucket: bucket.id, bytes: file.stored_bytes },
        });
        return file;
      });
      if (!gone) throw notFound('File');
      queue.abort([fileId]);
      const file = { id: fileId, bucketId: bucket.id, userId: bucket.user_id };
      await processing.tell('file.deleted', file, gone.status, 100);
    },

    /** Removes all files of a bucket, and what is being done about them. May be called again. */
    async wipe(bucketId: string): Promise<void> {
      for (;;) {
        const ids = await database.transaction(async (tx) => {
          const files = await store.someFiles(tx, bucketId, WIPE_BATCH);
          for (const file of files) await forget(tx, file);
          await announceDeleted(tx, bucketId, files);
          const ids = files.map(({ id }) => id);
          if (ids.length > 0) {
            await store.deleteFiles(tx, ids);
            await buckets.forgetFiles(tx, ids);
          }
          return ids;
        });
        queue.abort(ids);
        if (ids.length < WIPE_BATCH) return;
      }
    },

    /**
     * Counts bytes that come to, or with a minus go from, what is stored of a processed file. False
     * where there is none; the file's row is locked until the transaction ends otherwise.
     */
    async weigh(tx: Tx, file: Pick<FileRow, 'id' | 'bucket_id'>, bytes: number): Promise<boolean> {
      if (!(await store.addStoredBytes(tx, file.id, bytes))) return false;
      await buckets.add(tx, file.bucket_id, { bytes, files: 0, fileId: file.id });
      return true;
    },

    forDelivery: (fileId: string): Promise<DeliveredFile | undefined> => store.fileById(db, fileId),
  };
}
