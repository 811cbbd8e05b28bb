import type { DeliveryRules } from '../../contract/delivery-limits.ts';
import type { UploadRules } from '../../contract/files/upload-rules.ts';
import type { Region } from '../../contract/regions.ts';
import type { TransformPolicy } from '../../contract/transforms.ts';
import type { BucketDetailWire, BucketWire, Page } from '../../contract/wire.ts';
import { conflict } from '../../errors.ts';
import type { Actor } from '../../platform/audit/record.ts';
import { foldName, type ListRange, toPage } from '../../platform/db/listing.ts';
import type { Executor, Tx } from '../../platform/db/port.ts';
import { findRepeatedRequest } from '../../platform/idempotency/idempotency-store.ts';
import { lockUser } from '../accounts/service.ts';
import { AccessTokens } from './access-tokens/access-tokens.ts';
import { deleteTokensOf, writeTokenIds } from './access-tokens/access-tokens-store.ts';
import { AccountBuckets } from './account-buckets-store.ts';
import { newApiKey, newPrimaryKey, openApiKey, primaryKeyColumns } from './api-keys/api-key.ts';
import { ApiKeys } from './api-keys/api-keys.ts';
import { insertApiKey, primaryKeyOf, replacePrimaryKey } from './api-keys/api-keys-store.ts';
import { recordBucketAudit } from './audit.ts';
import { BanRetention } from './ban-retention.ts';
import { BandwidthLimits } from './bandwidth-limit/bandwidth-limits.ts';
import { BucketContents, type Retention, versioningOf } from './bucket-contents.ts';
import { BucketDeletion } from './bucket-deletion.ts';
import type { BucketDeps } from './bucket-deps.ts';
import { BUCKET_EVENTS } from './bucket-events.ts';
import { bucketBeingDeleted } from './bucket-status.ts';
import { formatRules, parseRules, validateRules } from './delivery-rules/rules.ts';
import { ExpiryWalks } from './expiry-rules/expiry-walks.ts';
import { expiryColumns } from './expiry-rules/rules.ts';
import { lockBucket } from './lock-store.ts';
import { BucketModeration } from './moderation.ts';
import { newBucketRow } from './new-bucket-row.ts';
import { Quotas } from './quotas/quotas.ts';
import { changedAccess, formatS3Access, parseS3Access, type S3Access } from './s3/access.ts';
import { BucketS3, type BucketSubject } from './s3/bucket-s3.ts';
import { BucketSources } from './sources/bucket-sources.ts';
import * as store from './store.ts';
import type { BucketRow } from './tables.ts';
import { formatUploadRules, parseUploadRules } from './upload-rules/rules.ts';
import { validateName, validateS3Name, validateWebhook } from './validation.ts';
import { toBucketWire } from './wire.ts';

export { looksLikeApiKey } from './api-keys/api-key.ts';
export { type Retention, type Versioning, versioningOf } from './bucket-contents.ts';
export type { Charges, ClosedBucket, Meters } from './bucket-deps.ts';
export { BUCKET_EVENTS, type BucketEvent } from './bucket-events.ts';
export { banned, bucketBeingDeleted, bucketStatusOf, requireNotDeleting } from './bucket-status.ts';
export { bucketBytes, bucketCounters, bucketFiles } from './counters-store.ts';
export { type IpRanges, isInRanges, toIpRanges } from './delivery-rules/ip-ranges.ts';
export { parseRules } from './delivery-rules/rules.ts';
export type { ExpiryWalk, WalkRules } from './expiry-rules/expiry-walks.ts';
export {
  expiryColumns,
  expiryOf,
  isExpiredBy,
  nextExpiryStart,
  parseExpiryRules,
} from './expiry-rules/rules.ts';
export type { Quotas } from './quotas/quotas.ts';
export {
  OBJECT_OWNERSHIPS,
  type ObjectOwnership,
  PUBLIC_ACCESS_FLAGS,
  type PublicAccessBlock,
  parseS3Access,
  type S3Access,
} from './s3/access.ts';
export type { BucketSourceRow } from './sources/tables.ts';
export {
  fileLimitOf,
  isRuleRefusal,
  requireAllowedType,
  sizeRefusal,
} from './upload-rules/rules.ts';
export { hasWebhook } from './webhooks/has-webhook.ts';
export type { Webhooks } from './webhooks/webhooks.ts';

/** A bucket as other features see it. */
export type Bucket = Pick<
  store.BucketWithStatus,
  | 'id'
  | 'user_id'
  | 'region'
  | 'status'
  | 'delivery_until'
  | 'key_version'
  | 'key_ids'
  | 'token_ids'
  | 'transforms'
  | 'delivery_rules'
  | 'delivery_stopped_until'
  | 'allowed_types'
  | 'max_file_bytes'
  | 'storage_limit'
  | 'usage'
  | 'total_uploads'
  | 'keep_versions'
  | 'was_versioned'
  | 'tags'
  | 'keep_deleted_days'
  | 'expiry_rules'
  | 'keep_originals'
  | 'process_s3'
  | 'has_source'
  | 'webhook'
  | 'webhook_disabled_at'
  | 'lists_public'
  | 'ignores_public'
  | 's3_access'
>;

/** What a bucket keeps, and for how long; what is left out stays. */
export type RetentionSettings = Partial<
  Retention &
    Pick<BucketWire, 'keep_originals' | 'expiry_rules'> & {
      /** That an S3 client has suspended versioning, which it may never have turned on. */
      isSuspended: boolean;
    }
>;

/** How S3 clients know a bucket, what becomes of what they put, and what everybody may read. */
export type S3Settings = Pick<
  BucketWire,
  's3_name' | 'process_s3_uploads' | 'list_public' | 'block_public_access'
>;

/** Returns the columns of a name that a bucket gets now, or of none. */
const nameColumns = (name: string | null, now: number) => ({
  s3_name: name,
  s3_named_at: name === null ? null : now,
});

const s3NameTaken = () => conflict('Another bucket of the account has this S3 name already.');

/** The buckets of all users. Each subject beside their settings is a class of its own. */
export class Buckets {
  readonly contents: BucketContents;
  readonly deletion: BucketDeletion;
  readonly moderation: BucketModeration;
  readonly ofAccount: AccountBuckets;
  readonly banRetention: BanRetention;
  readonly quotas: Quotas;
  readonly bandwidthLimits: BandwidthLimits;
  readonly apiKeys: ApiKeys;
  readonly accessTokens: AccessTokens;
  readonly expiryWalks: ExpiryWalks;
  readonly s3: BucketS3;
  readonly sources: BucketSources;

  constructor(private readonly deps: BucketDeps) {
    const { database, clock, meters } = deps;
    this.contents = new BucketContents(database, meters);
    this.deletion = new BucketDeletion(deps);
    this.moderation = new BucketModeration({
      database,
      clock,
      publishChange: (id) => this.publishChange(id),
    });
    this.ofAccount = new AccountBuckets(database);
    this.banRetention = new BanRetention({
      ...deps,
      ofAccount: this.ofAccount,
      deletion: this.deletion,
    });
    this.quotas = new Quotas({ ...deps, ofAccount: this.ofAccount });
    this.bandwidthLimits = new BandwidthLimits({
      ...deps,
      publishChange: (id) => this.publishChange(id),
    });
    this.expiryWalks = new ExpiryWalks(deps);
    this.s3 = new BucketS3({
      database,
      changeLocked: (...change) => this.changeLocked(...change),
    });
    this.sources = new BucketSources({
      database,
      changeLocked: (...change) => this.changeLocked(...change),
    });
    this.apiKeys = new ApiKeys({ ...deps, publishChange: (id) => this.publishChange(id) });
    this.accessTokens = new AccessTokens({
      ...deps,
      publishChange: (id) => this.publishChange(id),
    });
  }

  /**
   * Creates a bucket. A `region` of null means the server's default. Throws invalid,
   * payment-required, quota-exceeded, and conflict for a key of another request.
   * @param idempotencyKey a repeated request with the same key returns the same bucket
   */
  async create(
    userId: string,
    form: { name: string; region?: Region | null; s3Name?: string; s3Access?: S3Access },
    idempotencyKey?: string,
    actor: Actor = { userId },
  ): Promise<BucketWire> {
    const { database, keys, clock, charges } = this.deps;
    const name = validateName(form.name);
    const { region = null, s3Name, s3Access } = form;
    const row = {
      ...newBucketRow(clock(), { userId, name, region, s3Name: s3Name ?? null }),
      ...(s3Access && formatS3Access(s3Access)),
    };
    const request = ['bucket', name, row.region];
    const repeated = await database.transaction(async (tx) => {
      const key = { userId, key: idempotencyKey, request, subjectId: row.id };
      const existing = await findRepeatedRequest(tx, key, clock());
      if (existing !== null) return existing;
      await this.quotas.requireBucket(tx, userId);
      await charges.requireCanCreateBucket(tx, userId);
      if (s3Name !== undefined && (await store.bucketByS3Name(tx, userId, s3Name))) {
        throw s3NameTaken();
      }
      await store.insertBucket(tx, row);
      await insertApiKey(tx, newPrimaryKey(keys, row));
      await recordBucketAudit(tx, clock(), row, 'created', actor);
      return null;
    });
    return repeated === null ? toBucketWire(row, 0) : this.get(userId, repeated);
  }

  /**
   * Returns a page of a user's buckets, newest first. `name` is words joined by '&' that all must
   * match.
   */
  async list(userId: string, range: ListRange & { name?: string }): Promise<Page<BucketWire>> {
    const { database, bandwidthOf } = this.deps;
    const { rows, end } = await store.listBuckets(database, userId, range);
    const page = toPage(rows, range.limit, (row) => row, end);
    const bandwidths = await bandwidthOf(page.data.map(({ id }) => id));
    return {
      ...page,
      data: page.data.map((row) => toBucketWire(row, bandwidths.get(row.id) ?? 0)),
    };
  }

  /** Returns a bucket of a user. Throws not-found, also for another user's bucket. */
  async get(userId: string, id: string): Promise<BucketWire> {
    return this.withBandwidth(await this.owned(userId, id));
  }

  /**
   * Returns a bucket with its API key, which only the owner's session may view. Throws not-found.
   */
  async getWithKey(userId: string, id: string): Promise<BucketDetailWire> {
    const { database, keys } = this.deps;
    const row = await this.owned(userId, id);
    const key = await primaryKeyOf(database.db, id);
    return { ...(await this.withBandwidth(row)), api_key: openApiKey(keys, key) };
  }

  /** Returns the row of a user's bucket. Throws not-found, also for another user's bucket. */
  ownedBy(userId: string, id: string): Promise<Bucket> {
    return this.owned(userId, id);
  }

  /**
   * Changes the name, the webhook or both; what is left out stays as it is. An empty webhook disables
   * it, and another URL enables it again. Throws not-found, conflict, invalid.
   */
  async change(
    userId: string,
    id: string,
    form: { name?: string; webhook?: string },
  ): Promise<BucketWire> {
    const { database, clock, checkHost } = this.deps;
    const row = await this.changeable(userId, id);
    const name = validateName(form.name ?? row.name);
    const webhook = validateWebhook(form.webhook ?? row.webhook);
    const isNew = webhook !== row.webhook;
    if (webhook && isNew) await checkHost(new URL(webhook));
    // Another request may change what this one leaves out.
    const change = {
      ...(form.name !== undefined && { name, name_key: foldName(name) }),
      ...(form.webhook !== undefined && { webhook }),
    };
    const changed = await database.transaction(async (tx) => {
      const columns = await store.changeBucket(tx, id, change);
      if (!columns) throw bucketBeingDeleted();
      if (isNew || name !== row.name)
        await recordBucketAudit(tx, clock(), { ...row, ...columns }, 'changed', { userId });
      return { ...row, ...columns };
    });
    await this.publishChange(id);
    return this.withBandwidth(changed);
  }

  /**
   * Sets whether the bucket's images can be requested in other sizes and formats. Throws not-found.
   */
  async setTransforms(userId: string, id: string, policy: TransformPolicy): Promise<BucketWire> {
    const row = await this.changeable(userId, id);
    await store.setTransforms(this.deps.database.db, id, policy);
    await this.publishChange(id);
    return this.withBandwidth({ ...row, transforms: policy });
  }

  /**
   * Sets who may open the bucket's files, how often, and how long caches keep them by path. A rule that is left
   * out stays. Throws not-found, invalid.
   */
  async setDeliveryRules(
    userId: string,
    id: string,
    changed: Partial<DeliveryRules>,
    actor: Actor = { userId },
  ): Promise<BucketWire> {
    const subject = { userId, id, actor };
    const updated = await this.changeLocked(subject, 'delivery-rules-changed', (row) => {
      const rules = { ...parseRules(row.delivery_rules), ...changed };
      return { delivery_rules: formatRules(validateRules(rules)) };
    });
    return this.withBandwidth(updated);
  }

  /**
   * Sets for how many days deleted files are kept, how many earlier versions of a file, whether originals are, and
   * after how many days files expire. A setting that is left out stays. What is kept holds for what is deleted,
   * replaced or uploaded from then on, while files that have expired are deleted soon. Throws not-found, invalid.
   */
  async setRetention(
    userId: string,
    id: string,
    { expiry_rules: rules, keep_originals: originals, isSuspended, ...kept }: RetentionSettings,
    actor: Actor = { userId },
  ): Promise<BucketWire> {
    const updated = await this.changeLocked({ userId, id, actor }, 'retention-changed', (row) => ({
      ...kept,
      was_versioned: isSuspended || versioningOf({ ...row, ...kept }) || versioningOf(row) ? 1 : 0,
      ...(originals !== undefined && { keep_originals: originals ? 1 : 0 }),
      ...(rules && expiryColumns(rules, this.deps.clock())),
    }));
    return this.withBandwidth(updated);
  }

  /** Sets the tags of a bucket, as JSON; null for none. Throws not-found. */
  async setTags(userId: string, id: string, tags: string | null, actor: Actor): Promise<void> {
    await this.changeLocked({ userId, id, actor }, 'tags-changed', () => ({ tags }));
  }

  /**
   * Sets which types and sizes of files are accepted, and how many bytes the bucket may store. A rule that is left
   * out stays. They hold for uploads that complete from then on. Throws not-found, invalid.
   */
  async setUploadRules(
    userId: string,
    id: string,
    changed: Partial<UploadRules>,
  ): Promise<BucketWire> {
    const subject = { userId, id, actor: { userId } };
    const updated = await this.changeLocked(subject, 'upload-rules-changed', (row) =>
      formatUploadRules({ ...parseUploadRules(row), ...changed }),
    );
    return this.withBandwidth(updated);
  }

  /**
   * Sets the name by which S3 clients know the bucket, whether what they put from then on is processed, and whether
   * everybody may list the bucket and open its public files. What is left out stays. Throws not-found, invalid, and conflict where another bucket of the account has the name.
   */
  async setS3(
    userId: string,
    id: string,
    { s3_name, process_s3_uploads: isProcessed, ...access }: Partial<S3Settings>,
  ): Promise<BucketWire> {
    // Of two buckets that get one name at the same time, the second waits for the first.
    const subject = { userId, id, actor: { userId }, isAlone: s3_name != null };
    const updated = await this.changeLocked(subject, 's3-changed', async (row, tx) => {
      const name = s3_name === undefined ? undefined : validateS3Name(s3_name);
      const named = name != null ? await store.bucketByS3Name(tx, userId, name) : undefined;
      if (named && named.id !== id) throw s3NameTaken();
      return {
        ...(name !== undefined && name !== row.s3_name && nameColumns(name, this.deps.clock())),
        ...(isProcessed !== undefined && { process_s3: isProcessed ? 1 : 0 }),
        ...formatS3Access(changedAccess(parseS3Access(row), access)),
      };
    });
    return this.withBandwidth(updated);
  }

  /**
   * Sets the bytes that a bucket may send in a UTC month or day; null for no limit. A limit that is left out
   * stays. Throws not-found.
   */
  async setBandwidthLimits(
    userId: string,
    id: string,
    { limit, daily_limit }: { limit?: number | null; daily_limit?: number | null },
  ): Promise<BucketWire> {
    const row = await this.changeable(userId, id);
    const limits = {
      ...(limit !== undefined && { bandwidth_limit: limit }),
      ...(daily_limit !== undefined && { bandwidth_daily_limit: daily_limit }),
    };
    return this.withBandwidth(await this.bandwidthLimits.set(userId, row, limits));
  }

  /**
   * Replaces the API key and returns the new one. The old key and all tokens of the bucket are
   * revoked when this resolves. Throws not-found.
   */
  async regenerateKey(userId: string, id: string): Promise<string> {
    const { database, keys, clock } = this.deps;
    const row = await this.changeable(userId, id);
    const apiKey = newApiKey();
    await database.transaction(async (tx) => {
      await store.revokeTokens(tx, id);
      const columns = { ...primaryKeyColumns(keys, id, apiKey), created_at: clock() };
      await replacePrimaryKey(tx, id, columns);
      await deleteTokensOf(tx, id);
      await writeTokenIds(tx, id);
      await recordBucketAudit(tx, clock(), row, 'key-rolled', { userId });
    });
    await this.publishChange(id);
    return apiKey;
  }

  /** Counts what deleting a bucket would delete. Throws not-found. */
  async previewDeletion(userId: string, id: string) {
    const { total_uploads, usage } = await this.owned(userId, id);
    return { empty: total_uploads === 0 && usage === 0, files: total_uploads, bytes: usage };
  }

  /** Makes the caches of all processes read a bucket again. */
  publishChange(bucketId: string): Promise<void> {
    return this.deps.events.publish(BUCKET_EVENTS, { bucketId });
  }

  /** Returns a bucket by id, whoever owns it; undefined where there is none. */
  byId(id: string): Promise<Bucket | undefined> {
    return store.bucketById(this.deps.database.db, id);
  }

  /** Returns the bucket of a user that S3 clients know by a name; undefined where there is none. */
  byS3Name(userId: string, name: string): Promise<Bucket | undefined> {
    return store.bucketByS3Name(this.deps.database.db, userId, name);
  }

  /** Returns the names of buckets by their ids; of those that don't exist nothing. */
  namesOf(ids: string[]): Promise<Map<string, string>> {
    return store.bucketNames(this.deps.database.db, ids);
  }

  /** Returns the buckets of a user that are not being deleted, as S3 clients see them. */
  listForS3(userId: string, range: { after: string; limit: number }) {
    return store.s3BucketsOf(this.deps.database.db, userId, range);
  }

  /**
   * Changes columns of a bucket, whose row no other request changes meanwhile, and tells the caches of all processes.
   * Throws not-found, conflict.
   * @param subject.isAlone whether no other bucket of the account is changed or created meanwhile either
   */
  private async changeLocked(
    { userId, id, actor, isAlone, details }: BucketSubject & { isAlone?: boolean },
    action: Parameters<typeof recordBucketAudit>[3],
    change: (
      row: BucketRow,
      tx: Tx,
    ) => Partial<store.RuleColumns> | Promise<Partial<store.RuleColumns>>,
  ): Promise<store.BucketWithStatus> {
    const { database, clock } = this.deps;
    await this.changeable(userId, id);
    const changed = await database.transaction(async (tx) => {
      if (isAlone) await lockUser(tx, userId);
      await lockBucket(tx, id);
      const row = await this.changeable(userId, id, tx);
      const columns = await change(row, tx);
      if (Object.keys(columns).length > 0) await store.setRules(tx, id, columns);
      await recordBucketAudit(tx, clock(), row, action, actor, details);
      return { ...row, ...columns };
    });
    await this.publishChange(id);
    return changed;
  }

  private owned(userId: string, id: string): Promise<store.BucketWithStatus> {
    return store.requireOwnedBucket(this.deps.database.db, userId, id);
  }

  private changeable(
    userId: string,
    id: string,
    db: Executor = this.deps.database.db,
  ): Promise<store.BucketWithStatus> {
    return store.requireChangeableBucket(db, userId, id);
  }

  private async withBandwidth(row: BucketRow): Promise<BucketWire> {
    return toBucketWire(row, (await this.deps.bandwidthOf([row.id])).get(row.id) ?? 0);
  }
}
