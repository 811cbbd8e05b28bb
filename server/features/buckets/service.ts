import type { Region } from '../../contract/regions.ts';
import type { TransformPolicy } from '../../contract/transforms.ts';
import type { BucketDetailWire, BucketWire, Page } from '../../contract/wire.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Actor } from '../../platform/audit/record.ts';
import type { Clock } from '../../platform/clock.ts';
import { foldName, type ListRange, toPage } from '../../platform/db/listing.ts';
import type { Database, Executor, Tx } from '../../platform/db/port.ts';
import type { BucketRow } from '../../platform/db/tables.ts';
import type { Events } from '../../platform/events/port.ts';
import { newId } from '../../platform/ids.ts';
import type { Keys } from '../../platform/secrets/keys.ts';
import {
  apiKeyMac,
  keyColumns,
  looksLikeApiKey,
  newApiKey,
  openApiKey,
} from './api-key/api-key.ts';
import { createBucketAudit } from './audit.ts';
import { banned } from './bucket-status.ts';
import { createModeration } from './moderation.ts';
import * as store from './store.ts';
import { type HostCheck, validateName, validateWebhook } from './validation.ts';

export { looksLikeApiKey } from './api-key/api-key.ts';
export {
  banned,
  bucketStatusOf as standingOf,
  isSuspended as isCutOff,
  requireNotBanned as refuseBanned,
} from './bucket-status.ts';
export type { Webhooks } from './webhooks/webhooks.ts';
export type Buckets = ReturnType<typeof createBuckets>;

/** The topic that tells of a bucket whose status, key or policy has changed: `{ bucketId }`. */
export const BUCKET_EVENTS = 'buckets';

/** What other features need to know of a bucket. */
export type Bucket = Pick<
  BucketRow,
  'id' | 'user_id' | 'region' | 'status' | 'suspended_at' | 'key_version' | 'transforms'
>;

/** A change of what a bucket holds: `fileId` is the file it is about. Both numbers may be negative. */
export type Change = { bytes: number; files: number; fileId: string };

/** What is kept of a bucket's use over time, above this feature: told of every change inside of its transaction. */
export type Meters = {
  stored(
    tx: Tx,
    bucketId: string,
    change: { fileId: string; before: number; bytes: number; isRemoved: boolean },
  ): Promise<void>;
  uploaded(tx: Tx, bucketId: string, bytes: number): Promise<void>;
  forgetFiles(tx: Tx, fileIds: string[]): Promise<void>;
  closed(tx: Tx, bucketId: string, stored: number): Promise<void>;
};

/** What buckets are charged for, above this feature. */
export type Charges = {
  /** Throws payment-required. */
  mayMake(userId: string): Promise<void>;
  /** First of all in the transaction that removes a bucket. */
  hold(tx: Tx, userId: string): Promise<void>;
  /** The last charge, once its meters are closed. */
  closed(tx: Tx, bucket: Pick<BucketRow, 'id' | 'user_id' | 'name'>): Promise<void>;
};

export function createBuckets(options: {
  database: Database;
  keys: Keys;
  clock: Clock;
  events: Events;
  /** Throws where a webhook must not lead. */
  checkHost: HostCheck;
  meters: Meters;
  charges: Charges;
  /** Bytes sent this month, by bucket; those that sent nothing may be missing. */
  bandwidthOf: (ids: string[]) => Promise<Map<string, number>>;
}) {
  const { database, keys, clock, events, checkHost, meters, charges, bandwidthOf } = options;
  const { db } = database;

  const owned = async (userId: string, id: string): Promise<BucketRow> => {
    const row = await store.bucketById(db, id);
    if (!row || row.user_id !== userId) throw notFound('Bucket');
    return row;
  };

  const changeable = async (userId: string, id: string): Promise<BucketRow> => {
    const row = await owned(userId, id);
    if (row.status === 'deleting') throw conflict('The bucket is being deleted.');
    return row;
  };

  const note = createBucketAudit(clock);
  const tell = (bucketId: string) => events.publish(BUCKET_EVENTS, { bucketId });

  const toWires = async (rows: BucketRow[]): Promise<BucketWire[]> => {
    const sent = await bandwidthOf(rows.map(({ id }) => id));
    return rows.map((row) => toWire(row, sent.get(row.id) ?? 0));
  };
  const withBandwidth = async (row: BucketRow): Promise<BucketWire> =>
    toWire(row, (await bandwidthOf([row.id])).get(row.id) ?? 0);

  return {
    /** `region` null means the server's default. Throws invalid, payment-required. */
    async create(
      userId: string,
      form: { name: string; region?: Region | null },
    ): Promise<BucketWire> {
      const name = validateName(form.name);
      await charges.mayMake(userId);
      const now = clock();
      const id = newId(now);
      const row: BucketRow = {
        id,
        user_id: userId,
        name,
        name_key: foldName(name),
        region: form.region ?? null,
        webhook: '',
        webhook_secret_sealed: null,
        webhook_disabled_at: null,
        status: 'running',
        suspended_at: null,
        banned_at: null,
        ...keyColumns(keys, id, newApiKey()),
        key_version: 1,
        total_uploads: 0,
        usage: 0,
        transforms: 'open',
        created_at: now,
      };
      await database.transaction(async (tx) => {
        await store.insertBucket(tx, row);
        await note(tx, row, 'created', { userId });
      });
      return toWire(row, 0);
    },

    /** Newest first. `name` is words joined by '&', all of which must be in the name. */
    async list(userId: string, range: ListRange & { name?: string }): Promise<Page<BucketWire>> {
      const page = toPage(await store.listBuckets(db, userId, range), range.limit, (row) => row);
      return { ...page, data: await toWires(page.data) };
    },

    /** Throws not-found, for someone else's bucket too. */
    get: async (userId: string, id: string): Promise<BucketWire> =>
      withBandwidth(await owned(userId, id)),

    /** With the API key: only for the owner's session. Throws not-found. */
    async getWithKey(userId: string, id: string): Promise<BucketDetailWire> {
      const row = await owned(userId, id);
      return { ...(await withBandwidth(row)), api_key: openApiKey(keys, row) };
    },

    ownedBy: (userId: string, id: string): Promise<Bucket> => owned(userId, id),

    /** An empty webhook turns it off; another one than before is on. Throws not-found, invalid. */
    async change(
      userId: string,
      id: string,
      form: { name: string; webhook: string },
    ): Promise<BucketWire> {
      const row = await changeable(userId, id);
      const name = validateName(form.name);
      const webhook = validateWebhook(form.webhook);
      const isNew = webhook !== row.webhook;
      if (webhook && isNew) await checkHost(new URL(webhook));
      const change = {
        name,
        name_key: foldName(name),
        webhook,
        webhook_disabled_at: isNew ? null : row.webhook_disabled_at,
      };
      await database.transaction(async (tx) => {
        await store.renameBucket(tx, id, change);
        if (isNew || name !== row.name) await note(tx, { ...row, name }, 'changed', { userId });
      });
      return withBandwidth({ ...row, ...change });
    },

    /** Whether images of the bucket can be asked for in other sizes and formats. Throws not-found. */
    async setTransforms(userId: string, id: string, policy: TransformPolicy): Promise<BucketWire> {
      const row = await changeable(userId, id);
      await store.setTransforms(db, id, policy);
      await tell(id);
      return withBandwidth({ ...row, transforms: policy });
    },

    /** The old key and every token of the bucket are dead when this resolves. Throws not-found. */
    async rollKey(userId: string, id: string): Promise<string> {
      const row = await changeable(userId, id);
      const apiKey = newApiKey();
      await database.transaction(async (tx) => {
        await store.replaceKey(tx, id, keyColumns(keys, id, apiKey));
        await note(tx, row, 'key-rolled', { userId });
      });
      await tell(id);
      return apiKey;
    },

    /** What deleting the bucket would wipe. Throws not-found. */
    async contents(userId: string, id: string) {
      const { total_uploads, usage } = await owned(userId, id);
      return { empty: total_uploads === 0, files: total_uploads, bytes: usage };
    },

    /** From here on the bucket refuses everything, until `remove`. Throws conflict where it does already. */
    async stop(tx: Executor, id: string, actor: Actor): Promise<void> {
      const row = await store.bucketById(tx, id);
      if (!row || !(await store.markDeleting(tx, id))) {
        throw conflict('The bucket is being deleted.');
      }
      await note(tx, row, 'deleted', actor);
    },

    ...createModeration({ database, clock, tell }),

    /** Has every cache look at a bucket anew. */
    tell,

    byId: (id: string): Promise<Bucket | undefined> => store.bucketById(db, id),

    /** The bucket that an API key opens; undefined for what is no key of any. */
    async byApiKey(apiKey: string): Promise<Bucket | undefined> {
      if (!looksLikeApiKey(apiKey)) return undefined;
      return store.bucketByKeyMac(db, apiKeyMac(keys, apiKey));
    },

    /** What a user's buckets hold. */
    totals: (userId: string) => store.totalsOf(db, userId),

    /** Makes all buckets of a user refuse everything, until their rows are gone. */
    stopAll: (tx: Executor, userId: string) => store.markAllDeleting(tx, userId),

    idsOfUser: (userId: string) => store.idsOfUser(db, userId),

    /** Suspends what is running, from `since` on. Answers whose status has changed; tell BUCKET_EVENTS. */
    suspendAll: (tx: Tx, userId: string, since: number): Promise<string[]> =>
      store.suspendAll(tx, userId, since),

    /** Takes that back; what somebody banned meanwhile stays so. */
    resumeAll: (tx: Tx, userId: string): Promise<string[]> => store.resumeAll(tx, userId),

    /** Those that are suspended, until the transaction ends. */
    suspended: (tx: Tx, userId: string): Promise<string[]> => store.suspendedOf(tx, userId),

    /** Removes the row of a bucket that has been emptied. */
    remove: (id: string): Promise<void> =>
      database.transaction(async (tx) => {
        const bucket = await store.bucketById(tx, id);
        if (!bucket) return;
        await charges.hold(tx, bucket.user_id);
        const usage = await store.addToBucket(tx, id, { bytes: 0, files: 0 });
        if (usage === undefined) return;
        await note(tx, bucket, 'wiped', 'system');
        await meters.closed(tx, id, usage);
        await charges.closed(tx, bucket);
        await store.deleteBucket(tx, id);
      }),

    /** Counts a new file, in the transaction that makes its row. Throws conflict, banned. */
    async receive(tx: Tx, id: string, file: { id: string; bytes: number }): Promise<void> {
      const { id: fileId, bytes } = file;
      const usage = await store.receiveFile(tx, id, bytes);
      if (usage === undefined) {
        const row = await store.bucketById(tx, id);
        throw row?.status === 'banned' ? banned() : conflict('The bucket is being deleted.');
      }
      await meters.stored(tx, id, { fileId, before: usage - bytes, bytes, isRemoved: false });
      await meters.uploaded(tx, id, bytes);
    },

    /** Adds to what the bucket holds, in the transaction of the file it is about. */
    async add(tx: Tx, id: string, { bytes, files, fileId }: Change): Promise<void> {
      const usage = await store.addToBucket(tx, id, { bytes, files });
      if (usage === undefined) return;
      const isRemoved = files < 0;
      await meters.stored(tx, id, { fileId, before: usage - bytes, bytes, isRemoved });
    },

    /** Drops what is kept of files that go with their bucket. */
    forgetFiles: meters.forgetFiles,
  };
}

const toWire = (row: BucketRow, bandwidth: number): BucketWire => ({
  id: row.id,
  name: row.name,
  webhook: row.webhook,
  webhook_disabled_at:
    row.webhook_disabled_at === null ? null : new Date(row.webhook_disabled_at).toISOString(),
  region: row.region,
  status: row.status,
  total_uploads: row.total_uploads,
  usage: row.usage,
  bandwidth,
  transforms: row.transforms,
  date: new Date(row.created_at).toISOString(),
});
