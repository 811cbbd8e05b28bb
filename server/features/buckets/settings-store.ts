import type { Executor, Tx } from '../../platform/db/port.ts';
import type { ExpiryColumns } from './expiry-rules/rules.ts';
import type { BucketRow } from './tables.ts';
import type { UploadRuleColumns } from './upload-rules/rules.ts';

/**
 * Stores a bucket's name and webhook, and returns these columns; undefined where the bucket is being
 * deleted or does not exist. A disabled webhook stays so, unless its URL changes.
 */
export async function changeBucket(
  tx: Tx,
  id: string,
  change: Partial<Pick<BucketRow, 'name' | 'name_key' | 'webhook'>>,
): Promise<Pick<BucketRow, 'name' | 'name_key' | 'webhook' | 'webhook_disabled_at'> | undefined> {
  return tx
    .updateTable('buckets')
    .set((row) => ({
      ...change,
      webhook_disabled_at: row
        .case()
        .when('webhook', '=', change.webhook ?? row.ref('webhook'))
        .then(row.ref('webhook_disabled_at'))
        .end(),
    }))
    .where('id', '=', id)
    .where('status', '!=', 'deleting')
    .returning(['name', 'name_key', 'webhook', 'webhook_disabled_at'])
    .executeTakeFirst();
}

/** Stores whether a bucket's images can be requested in other sizes and formats. */
export async function setTransforms(
  db: Executor,
  id: string,
  transforms: BucketRow['transforms'],
): Promise<void> {
  await db.updateTable('buckets').set({ transforms }).where('id', '=', id).execute();
}

/** What a bucket's owner demands of requests and of uploads, and what the bucket keeps. */
export type RuleColumns = UploadRuleColumns &
  ExpiryColumns &
  Pick<
    BucketRow,
    | 'delivery_rules'
    | 'keep_deleted_days'
    | 'keep_versions'
    | 'was_versioned'
    | 'keep_originals'
    | 's3_name'
    | 's3_named_at'
    | 'lists_public'
    | 'ignores_public'
    | 's3_access'
    | 'process_s3'
    | 'has_source'
    | 'tags'
  >;

/** Stores rules of a bucket. */
export async function setRules(tx: Tx, id: string, rules: Partial<RuleColumns>): Promise<void> {
  await tx.updateTable('buckets').set(rules).where('id', '=', id).execute();
}
