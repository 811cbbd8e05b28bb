import type { Region } from '../../contract/regions.ts';
import type { BucketDetailWire, BucketWire, Page } from '../../contract/wire.ts';
import type { Actor } from '../../platform/audit/record.ts';
import { type ListRange, toPage } from '../../platform/db/listing.ts';
import { findRepeatedRequest } from '../../platform/idempotency/idempotency-store.ts';
import { AccessTokens } from './access-tokens/access-tokens.ts';
import { deleteTokensOf, writeTokenIds } from './access-tokens/access-tokens-store.ts';
import { AccountBuckets } from './account-buckets-store.ts';
import { newApiKey, newPrimaryKey, openApiKey, primaryKeyColumns } from './api-keys/api-key.ts';
import { ApiKeys } from './api-keys/api-keys.ts';
import { insertApiKey, primaryKeyOf, replacePrimaryKey } from './api-keys/api-keys-store.ts';
import { recordBucketAudit } from './audit.ts';
import { BandwidthLimits } from './bandwidth-limit/bandwidth-limits.ts';
import { BucketContents } from './bucket-contents.ts';
import { BucketDeletion } from './bucket-deletion.ts';
import type { BucketDeps } from './bucket-deps.ts';
import { BUCKET_EVENTS } from './bucket-events.ts';
import { ExpiryWalks } from './expiry-rules/expiry-walks.ts';
import { BanRetention } from './moderation/ban-retention.ts';
import { BucketModeration } from './moderation/bucket-moderation.ts';
import { newBucketRow } from './new-bucket-row.ts';
import { Quotas } from './quotas/quotas.ts';
import { formatS3Access, type S3Access } from './s3/access.ts';
import { BucketS3 } from './s3/bucket-s3.ts';
import { BucketSettings } from './settings.ts';
import { BucketSources } from './sources/bucket-sources.ts';
import * as store from './store.ts';
import type { BucketRow } from './tables.ts';
import { s3NameTaken, validateName } from './validation.ts';
import { toBucketWire } from './wire.ts';

export { looksLikeApiKey } from './api-keys/api-key.ts';
export { type Retention, type Versioning, versioningOf } from './bucket-contents.ts';
export type { Charges, ClosedBucket } from './bucket-deps.ts';
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

/** The buckets of all users. Each subject beside their settings is a class of its own. */
export class Buckets {
  readonly contents: BucketContents;
  readonly deletion: BucketDeletion;
  readonly moderation: BucketModeration;
  readonly ofAccount: AccountBuckets;
  readonly banRetention: BanRetention;
  readonly quotas: Quotas;
  readonly bandwidthLimits: BandwidthLimits;
  readonly settings: BucketSettings;
  readonly apiKeys: ApiKeys;
  readonly accessTokens: AccessTokens;
  readonly expiryWalks: ExpiryWalks;
  readonly s3: BucketS3;
  readonly sources: BucketSources;

  constructor(private readonly deps: BucketDeps) {
    const { database, clock, meters } = deps;
    const publishChange = (id: string) => this.publishChange(id);
    this.contents = new BucketContents(database, meters);
    this.deletion = new BucketDeletion(deps);
    this.moderation = new BucketModeration({ database, clock, publishChange });
    this.ofAccount = new AccountBuckets(database);
    this.banRetention = new BanRetention({
      ...deps,
      ofAccount: this.ofAccount,
      deletion: this.deletion,
    });
    this.quotas = new Quotas({ ...deps, ofAccount: this.ofAccount });
    this.bandwidthLimits = new BandwidthLimits({ ...deps, publishChange });
    this.expiryWalks = new ExpiryWalks(deps);
    const { bandwidthLimits } = this;
    const toWire = (row: BucketRow) => this.withBandwidth(row);
    this.settings = new BucketSettings({ ...deps, bandwidthLimits, publishChange, toWire });
    const { settings } = this;
    this.s3 = new BucketS3({ database, settings });
    this.sources = new BucketSources({ database, settings });
    this.apiKeys = new ApiKeys({ ...deps, publishChange });
    this.accessTokens = new AccessTokens({ ...deps, publishChange });
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
   * Replaces the API key and returns the new one. The old key and all tokens of the bucket are
   * revoked when this resolves. Throws not-found.
   */
  async regenerateKey(userId: string, id: string): Promise<string> {
    const { database, keys, clock } = this.deps;
    const row = await store.requireChangeableBucket(database.db, userId, id);
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

  private owned(userId: string, id: string): Promise<store.BucketWithStatus> {
    return store.requireOwnedBucket(this.deps.database.db, userId, id);
  }

  private async withBandwidth(row: BucketRow): Promise<BucketWire> {
    return toBucketWire(row, (await this.deps.bandwidthOf([row.id])).get(row.id) ?? 0);
  }
}
