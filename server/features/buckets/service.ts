import type { Region } from '../../contract/regions.ts';
import type { TransformPolicy } from '../../contract/transforms.ts';
import type { BucketDetailWire, BucketWire, Page } from '../../contract/wire.ts';
import type { Actor } from '../../platform/audit/record.ts';
import { foldName, type ListRange, toPage } from '../../platform/db/listing.ts';
import type { Executor, Tx } from '../../platform/db/port.ts';
import * as accountStore from './account-store.ts';
import {
  apiKeyMac,
  keyColumns,
  looksLikeApiKey,
  newApiKey,
  newBucketRow,
  openApiKey,
} from './api-key.ts';
import { recordBucketAudit } from './audit.ts';
import { banned, bucketBeingDeleted, requireNotDeleting } from './bucket-status.ts';
import type { BucketDependencies } from './dependencies.ts';
import { BucketModeration } from './moderation.ts';
import * as store from './store.ts';
import type { BucketRow } from './tables.ts';
import { validateName, validateWebhook } from './validation.ts';
import { toBucketWire } from './wire.ts';

export { looksLikeApiKey } from './api-key.ts';
export {
  bucketStatusOf,
  isSuspended,
  requireNotBanned,
  requireNotDeleting,
} from './bucket-status.ts';
export type { Charges, ClosedBucket, Meters } from './dependencies.ts';
export type { Webhooks } from './webhooks/webhooks.ts';

/** The topic that tells of a bucket whose status, key or policy has changed: `{ bucketId }`. */
export const BUCKET_EVENTS = 'buckets';

/** What other features need to know of a bucket. */
export type Bucket = Pick<
  BucketRow,
  'id' | 'user_id' | 'region' | 'status' | 'suspended_at' | 'key_version' | 'transforms'
>;

/** A change of what a bucket holds, by the file `fileId`. Both numbers may be negative. */
export type Change = { bytes: number; files: number; fileId: string };

/** The buckets of all users: their settings, their status and what they hold. */
export class Buckets {
  private readonly moderation: BucketModeration;

  constructor(private readonly deps: BucketDependencies) {
    const { database, clock } = deps;
    this.moderation = new BucketModeration({ database, clock, tell: (id) => this.tell(id) });
  }

  /** `region` null means the server's default. Throws invalid, payment-required. */
  async create(
    userId: string,
    form: { name: string; region?: Region | null },
  ): Promise<BucketWire> {
    const { database, keys, clock, charges } = this.deps;
    const name = validateName(form.name);
    await charges.requireCanCreateBucket(userId);
    const row = newBucketRow(keys, clock(), { userId, name, region: form.region ?? null });
    await database.transaction(async (tx) => {
      await store.insertBucket(tx, row);
      await recordBucketAudit(tx, clock(), row, 'created', { userId });
    });
    return toBucketWire(row, 0);
  }

  /** The newest buckets first. `name` is words joined by '&', all of which must be in the name. */
  async list(userId: string, range: ListRange & { name?: string }): Promise<Page<BucketWire>> {
    const { database, bandwidthOf } = this.deps;
    const rows = await store.listBuckets(database.db, userId, range);
    const page = toPage(rows, range.limit, (row) => row);
    const bandwidths = await bandwidthOf(page.data.map(({ id }) => id));
    return {
      ...page,
      data: page.data.map((row) => toBucketWire(row, bandwidths.get(row.id) ?? 0)),
    };
  }

  /** One bucket of a user. Throws not-found, for someone else's bucket too. */
  async get(userId: string, id: string): Promise<BucketWire> {
    return this.withBandwidth(await this.owned(userId, id));
  }

  /** A bucket with its API key, only for the owner's session. Throws not-found. */
  async getWithKey(userId: string, id: string): Promise<BucketDetailWire> {
    const row = await this.owned(userId, id);
    return { ...(await this.withBandwidth(row)), api_key: openApiKey(this.deps.keys, row) };
  }

  /** The row of a user's bucket. Throws not-found, for someone else's bucket too. */
  ownedBy(userId: string, id: string): Promise<Bucket> {
    return this.owned(userId, id);
  }

  /**
   * Changes name and webhook. An empty webhook turns it off; another URL than before turns it on.
   * Throws not-found, invalid.
   */
  async change(
    userId: string,
    id: string,
    form: { name: string; webhook: string },
  ): Promise<BucketWire> {
    const { database, clock, checkHost } = this.deps;
    const row = await this.changeable(userId, id);
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
      if (!isNew && name === row.name) return;
      await recordBucketAudit(tx, clock(), { ...row, name }, 'changed', { userId });
    });
    return this.withBandwidth({ ...row, ...change });
  }

  /** Sets whether images of the bucket can be asked for in other sizes and formats. Throws not-found. */
  async setTransforms(userId: string, id: string, policy: TransformPolicy): Promise<BucketWire> {
    const row = await this.changeable(userId, id);
    await store.setTransforms(this.deps.database.db, id, policy);
    await this.tell(id);
    return this.withBandwidth({ ...row, transforms: policy });
  }

  /** Once this resolves, the old key and every token of the bucket open nothing. Throws not-found. */
  async rollKey(userId: string, id: string): Promise<string> {
    const { database, keys, clock } = this.deps;
    const row = await this.changeable(userId, id);
    const apiKey = newApiKey();
    await database.transaction(async (tx) => {
      await store.replaceKey(tx, id, keyColumns(keys, id, apiKey));
      await recordBucketAudit(tx, clock(), row, 'key-rolled', { userId });
    });
    await this.tell(id);
    return apiKey;
  }

  /** What deleting the bucket would remove. Throws not-found. */
  async contents(userId: string, id: string) {
    const { total_uploads, usage } = await this.owned(userId, id);
    return { empty: total_uploads === 0, files: total_uploads, bytes: usage };
  }

  /** Makes a bucket refuse everything until `remove`. Throws conflict where it does so already. */
  async stop(tx: Executor, id: string, actor: Actor): Promise<void> {
    const row = await store.bucketById(tx, id);
    if (!row || !(await store.markDeleting(tx, id))) throw bucketBeingDeleted();
    await recordBucketAudit(tx, this.deps.clock(), row, 'deleted', actor);
  }

  /** Stops a bucket's delivery and uploads, its keys and its tokens. Throws not-found, conflict. */
  ban(id: string, actor: Actor): Promise<void> {
    return this.moderation.ban(id, actor);
  }

  /** Gives a bucket the status back that it would have without the ban. Throws not-found, conflict. */
  unban(id: string, actor: Actor): Promise<void> {
    return this.moderation.unban(id, actor);
  }

  /** Makes every cache read a bucket again. */
  tell(bucketId: string): Promise<void> {
    return this.deps.events.publish(BUCKET_EVENTS, { bucketId });
  }

  /** The bucket of an id, whoever owns it; undefined where there is none. */
  byId(id: string): Promise<Bucket | undefined> {
    return store.bucketById(this.deps.database.db, id);
  }

  /** The bucket that an API key opens; undefined where the text is no bucket's key. */
  async byApiKey(apiKey: string): Promise<Bucket | undefined> {
    if (!looksLikeApiKey(apiKey)) return undefined;
    return store.bucketByKeyMac(this.deps.database.db, apiKeyMac(this.deps.keys, apiKey));
  }

  /** How many buckets a user has, and how many files and bytes are in them. */
  totals(userId: string) {
    return accountStore.totalsOf(this.deps.database.db, userId);
  }

  /** Makes all buckets of a user refuse everything, until their rows are removed. */
  stopAll(tx: Executor, userId: string): Promise<void> {
    return accountStore.markAllDeleting(tx, userId);
  }

  /** The ids of all buckets of a user. */
  idsOfUser(userId: string): Promise<string[]> {
    return accountStore.idsOfUser(this.deps.database.db, userId);
  }

  /**
   * Suspends a user's running buckets, from `since` in epoch milliseconds. Returns the ids of those
   * whose status has changed, which the caller publishes on BUCKET_EVENTS.
   */
  suspendAll(tx: Tx, userId: string, since: number): Promise<string[]> {
    return accountStore.suspendAll(tx, userId, since);
  }

  /** Ends the suspension and returns the ids concerned; a ban made meanwhile stays. */
  resumeAll(tx: Tx, userId: string): Promise<string[]> {
    return accountStore.resumeAll(tx, userId);
  }

  /** The ids of a user's suspended buckets, whose rows are locked until the transaction ends. */
  suspended(tx: Tx, userId: string): Promise<string[]> {
    return accountStore.suspendedOf(tx, userId);
  }

  /** Removes the row of a bucket that has been emptied, after its last charge. */
  remove(id: string): Promise<void> {
    const { database, clock, charges, meters } = this.deps;
    return database.transaction(async (tx) => {
      const bucket = await store.bucketById(tx, id);
      if (!bucket) return;
      await charges.lockAccount(tx, bucket.user_id);
      const usage = await store.addToBucket(tx, id, { bytes: 0, files: 0 });
      if (usage === undefined) return;
      await recordBucketAudit(tx, clock(), bucket, 'wiped', 'system');
      await meters.closed(tx, id, usage);
      await charges.closed(tx, bucket);
      await store.deleteBucket(tx, id);
    });
  }

  /** Counts a new file, in the transaction that makes its row. Throws conflict, banned. */
  async receive(tx: Tx, id: string, file: { id: string; bytes: number }): Promise<void> {
    const { meters } = this.deps;
    const { id: fileId, bytes } = file;
    const usage = await store.receiveFile(tx, id, bytes);
    if (usage === undefined) {
      const row = await store.bucketById(tx, id);
      throw row?.status === 'banned' ? banned() : bucketBeingDeleted();
    }
    await meters.stored(tx, id, { fileId, before: usage - bytes, bytes, isRemoved: false });
    await meters.uploaded(tx, id, bytes);
  }

  /** Adds to what the bucket holds, in the transaction that changes the file. */
  async add(tx: Tx, id: string, { bytes, files, fileId }: Change): Promise<void> {
    const usage = await store.addToBucket(tx, id, { bytes, files });
    if (usage === undefined) return;
    const isRemoved = files < 0;
    await this.deps.meters.stored(tx, id, { fileId, before: usage - bytes, bytes, isRemoved });
  }

  /** Removes the meters of files that are removed together with their bucket. */
  forgetFiles(tx: Tx, fileIds: string[]): Promise<void> {
    return this.deps.meters.forgetFiles(tx, fileIds);
  }

  private owned(userId: string, id: string): Promise<BucketRow> {
    return store.requireOwnedBucket(this.deps.database.db, userId, id);
  }

  private async changeable(userId: string, id: string): Promise<BucketRow> {
    const row = await this.owned(userId, id);
    requireNotDeleting(row);
    return row;
  }

  private async withBandwidth(row: BucketRow): Promise<BucketWire> {
    return toBucketWire(row, (await this.deps.bandwidthOf([row.id])).get(row.id) ?? 0);
  }
}
