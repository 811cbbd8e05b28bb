import type { DeliveryRules } from '../../contract/delivery-limits.ts';
import type { UploadRules } from '../../contract/files/upload-rules.ts';
import type { TransformPolicy } from '../../contract/transforms.ts';
import type { BucketWire } from '../../contract/wire.ts';
import type { Actor, AuditEntry } from '../../platform/audit/record.ts';
import { foldName } from '../../platform/db/listing.ts';
import type { Tx } from '../../platform/db/port.ts';
import { lockUser } from '../accounts/service.ts';
import { recordBucketAudit } from './audit.ts';
import type { BandwidthLimits } from './bandwidth-limit/bandwidth-limits.ts';
import { type Retention, versioningOf } from './bucket-contents.ts';
import type { BucketDeps } from './bucket-deps.ts';
import { bucketBeingDeleted } from './bucket-status.ts';
import { formatRules, parseRules, validateRules } from './delivery-rules/rules.ts';
import { expiryColumns } from './expiry-rules/rules.ts';
import { lockBucket } from './lock-store.ts';
import { changedAccess, formatS3Access, parseS3Access } from './s3/access.ts';
import * as store from './settings-store.ts';
import { bucketByS3Name, requireChangeableBucket } from './store.ts';
import type { BucketRow } from './tables.ts';
import { formatUploadRules, parseUploadRules } from './upload-rules/rules.ts';
import { s3NameTaken, validateName, validateS3Name, validateWebhook } from './validation.ts';

/** A bucket of a user, and who changes it. */
export type BucketSubject = {
  userId: string;
  id: string;
  actor: Actor;
  /** What the audit log has beside the action. */
  details?: AuditEntry['details'];
};

/** The columns of a bucket that settings change, of which some are left out. */
export type SettingColumns = Partial<store.RuleColumns>;

/** What a bucket keeps, and for how long; what is left out stays. */
type RetentionSettings = Partial<
  Retention &
    Pick<BucketWire, 'keep_originals' | 'expiry_rules'> & {
      /** That an S3 client has suspended versioning, which it may never have turned on. */
      isSuspended: boolean;
    }
>;

/** How S3 clients know a bucket, what becomes of what they put, and what everybody may read. */
type S3Settings = Pick<
  BucketWire,
  's3_name' | 'process_s3_uploads' | 'list_public' | 'block_public_access'
>;

type Action = Parameters<typeof recordBucketAudit>[3];
type Change = (row: BucketRow, tx: Tx) => SettingColumns | Promise<SettingColumns>;

type Deps = Pick<BucketDeps, 'database' | 'clock' | 'checkHost'> & {
  bandwidthLimits: Pick<BandwidthLimits, 'set'>;
  publishChange: (bucketId: string) => Promise<void>;
  toWire: (row: BucketRow) => Promise<BucketWire>;
};

/** Returns the columns of a name that a bucket gets now, or of none. */
const nameColumns = (name: string | null, now: number) => ({
  s3_name: name,
  s3_named_at: name === null ? null : now,
});

/** What the owner of a bucket sets for it. */
export class BucketSettings {
  constructor(private readonly deps: Deps) {}

  /**
   * Changes the name, the webhook or both; what is left out stays as it is. An empty webhook disables
   * it, and another URL enables it again. Throws not-found, conflict, invalid.
   */
  async setNameAndWebhook(
    userId: string,
    id: string,
    form: { name?: string; webhook?: string },
  ): Promise<BucketWire> {
    const { database, clock, checkHost, publishChange, toWire } = this.deps;
    const row = await requireChangeableBucket(database.db, userId, id);
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
    await publishChange(id);
    return toWire(changed);
  }

  /**
   * Sets whether the bucket's images can be requested in other sizes and formats. Throws not-found.
   */
  async setTransforms(userId: string, id: string, policy: TransformPolicy): Promise<BucketWire> {
    const { database, publishChange, toWire } = this.deps;
    const row = await requireChangeableBucket(database.db, userId, id);
    await store.setTransforms(database.db, id, policy);
    await publishChange(id);
    return toWire({ ...row, transforms: policy });
  }

  /**
   * Sets who may open the bucket's files, how often, and how long caches keep them by path. A rule that is left
   * out stays. Throws not-found, invalid.
   */
  setDeliveryRules(
    userId: string,
    id: string,
    changed: Partial<DeliveryRules>,
    actor: Actor = { userId },
  ): Promise<BucketWire> {
    return this.set({ userId, id, actor }, 'delivery-rules-changed', (row) => {
      const rules = { ...parseRules(row.delivery_rules), ...changed };
      return { delivery_rules: formatRules(validateRules(rules)) };
    });
  }

  /**
   * Sets for how many days deleted files are kept, how many earlier versions of a file, whether originals are, and
   * after how many days files expire. A setting that is left out stays. What is kept holds for what is deleted,
   * replaced or uploaded from then on, while files that have expired are deleted soon. Throws not-found, invalid.
   */
  setRetention(
    userId: string,
    id: string,
    { expiry_rules: rules, keep_originals: originals, isSuspended, ...kept }: RetentionSettings,
    actor: Actor = { userId },
  ): Promise<BucketWire> {
    return this.set({ userId, id, actor }, 'retention-changed', (row) => ({
      ...kept,
      was_versioned: isSuspended || versioningOf({ ...row, ...kept }) || versioningOf(row) ? 1 : 0,
      ...(originals !== undefined && { keep_originals: originals ? 1 : 0 }),
      ...(rules && expiryColumns(rules, this.deps.clock())),
    }));
  }

  /** Sets the tags of a bucket, as JSON; null for none. Throws not-found. */
  async setTags(userId: string, id: string, tags: string | null, actor: Actor): Promise<void> {
    await this.changeLocked({ userId, id, actor }, 'tags-changed', () => ({ tags }));
  }

  /**
   * Sets which types and sizes of files are accepted, and how many bytes the bucket may store. A rule that is left
   * out stays. They hold for uploads that complete from then on. Throws not-found, invalid.
   */
  setUploadRules(userId: string, id: string, changed: Partial<UploadRules>): Promise<BucketWire> {
    return this.set({ userId, id, actor: { userId } }, 'upload-rules-changed', (row) =>
      formatUploadRules({ ...parseUploadRules(row), ...changed }),
    );
  }

  /**
   * Sets the name by which S3 clients know the bucket, whether what they put from then on is processed, and whether
   * everybody may list the bucket and open its public files. What is left out stays. Throws not-found, invalid, and
   * conflict where another bucket of the account has the name.
   */
  setS3(
    userId: string,
    id: string,
    { s3_name, process_s3_uploads: isProcessed, ...access }: Partial<S3Settings>,
  ): Promise<BucketWire> {
    // Of two buckets that get one name at the same time, the second waits for the first.
    const subject = { userId, id, actor: { userId }, isAlone: s3_name != null };
    return this.set(subject, 's3-changed', async (row, tx) => {
      const name = s3_name === undefined ? undefined : validateS3Name(s3_name);
      const named = name != null ? await bucketByS3Name(tx, userId, name) : undefined;
      if (named && named.id !== id) throw s3NameTaken();
      return {
        ...(name !== undefined && name !== row.s3_name && nameColumns(name, this.deps.clock())),
        ...(isProcessed !== undefined && { process_s3: isProcessed ? 1 : 0 }),
        ...formatS3Access(changedAccess(parseS3Access(row), access)),
      };
    });
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
    const { database, bandwidthLimits, toWire } = this.deps;
    const row = await requireChangeableBucket(database.db, userId, id);
    const limits = {
      ...(limit !== undefined && { bandwidth_limit: limit }),
      ...(daily_limit !== undefined && { bandwidth_daily_limit: daily_limit }),
    };
    return toWire(await bandwidthLimits.set(userId, row, limits));
  }

  /**
   * Changes columns of a bucket, whose row no other request changes meanwhile, and tells the caches of all processes.
   * Returns the row as it is then. Throws not-found, conflict, and what `change` throws.
   * @param subject.isAlone whether no other bucket of the account is changed or created meanwhile either
   */
  async changeLocked(
    { userId, id, actor, isAlone, details }: BucketSubject & { isAlone?: boolean },
    action: Action,
    change: Change,
  ): Promise<BucketRow> {
    const { database, clock, publishChange } = this.deps;
    await requireChangeableBucket(database.db, userId, id);
    const changed = await database.transaction(async (tx) => {
      if (isAlone) await lockUser(tx, userId);
      await lockBucket(tx, id);
      const row = await requireChangeableBucket(tx, userId, id);
      const columns = await change(row, tx);
      if (Object.keys(columns).length > 0) await store.setRules(tx, id, columns);
      await recordBucketAudit(tx, clock(), row, action, actor, details);
      return { ...row, ...columns };
    });
    await publishChange(id);
    return changed;
  }

  private async set(...change: Parameters<BucketSettings['changeLocked']>): Promise<BucketWire> {
    return this.deps.toWire(await this.changeLocked(...change));
  }
}
