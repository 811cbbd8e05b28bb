import { BUCKET_NAME_MAX } from '../../contract/limits.ts';
import type { Region } from '../../contract/regions.ts';
import type { BucketDetailWire, BucketWire, Page } from '../../contract/wire.ts';
import { invalid, notFound } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { foldName, type ListRange, toPage } from '../../platform/db/listing.ts';
import type { Database, Executor } from '../../platform/db/port.ts';
import type { BucketRow } from '../../platform/db/tables.ts';
import { newId } from '../../platform/ids.ts';
import type { Keys } from '../../platform/secrets/keys.ts';
import { apiKeyMac, keyColumns, looksLikeApiKey, newApiKey, openApiKey } from './api-key.ts';
import * as store from './store.ts';

export { looksLikeApiKey } from './api-key.ts';
export type Buckets = ReturnType<typeof createBuckets>;

/** The topic that tells of a bucket whose status or key has changed: `{ bucketId }`. */
export const BUCKET_EVENTS = 'buckets';

/** What other features need to know of a bucket. */
export type Bucket = Pick<BucketRow, 'id' | 'user_id' | 'status' | 'key_version'>;

export function createBuckets(options: { database: Database; keys: Keys; clock: Clock }) {
  const { database, keys, clock } = options;
  const { db } = database;

  const owned = async (userId: string, id: string): Promise<BucketRow> => {
    const row = await store.bucketById(db, id);
    if (!row || row.user_id !== userId) throw notFound('Bucket');
    return row;
  };

  return {
    /** `region` null means the server's default. Throws invalid. */
    async create(
      userId: string,
      form: { name: string; region?: Region | null },
    ): Promise<BucketWire> {
      const name = form.name.trim();
      if (!name || name.length > BUCKET_NAME_MAX || /\p{Cc}/u.test(name)) {
        throw invalid(`The name must have 1 to ${BUCKET_NAME_MAX} characters, on one line.`);
      }
      const now = clock();
      const id = newId(now);
      const row: BucketRow = {
        id,
        user_id: userId,
        name,
        name_key: foldName(name),
        region: form.region ?? null,
        webhook: '',
        status: 'running',
        ...keyColumns(keys, id, newApiKey()),
        key_version: 1,
        total_uploads: 0,
        usage: 0,
        created_at: now,
      };
      await store.insertBucket(db, row);
      return toWire(row);
    },

    /** Newest first. `name` is words joined by '&', all of which must be in the name. */
    async list(userId: string, range: ListRange & { name?: string }): Promise<Page<BucketWire>> {
      return toPage(await store.listBuckets(db, userId, range), range.limit, toWire);
    },

    /** Throws not-found, for someone else's bucket too. */
    get: async (userId: string, id: string): Promise<BucketWire> => toWire(await owned(userId, id)),

    /** With the API key: only for the owner's session. Throws not-found. */
    async getWithKey(userId: string, id: string): Promise<BucketDetailWire> {
      const row = await owned(userId, id);
      return { ...toWire(row), api_key: openApiKey(keys, row) };
    },

    ownedBy: (userId: string, id: string): Promise<Bucket> => owned(userId, id),

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

    /** Removes the row of a bucket that has been emptied. */
    remove: (id: string) => store.deleteBucket(db, id),

    /** Adds to what the bucket holds, in the transaction of the files it is about. */
    add: (tx: Executor, id: string, more: { bytes: number; files: number }) =>
      store.addToBucket(tx, id, more),
  };
}

const toWire = (row: BucketRow): BucketWire => ({
  id: row.id,
  name: row.name,
  webhook: row.webhook,
  region: row.region,
  status: row.status,
  total_uploads: row.total_uploads,
  usage: row.usage,
  date: new Date(row.created_at).toISOString(),
});
