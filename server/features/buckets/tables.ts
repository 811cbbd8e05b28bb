import type { Region } from '../../contract/regions.ts';
import type { TransformPolicy } from '../../contract/transforms.ts';
import type { BucketStatus } from '../../contract/wire.ts';
import type { SqlBoolean } from '../../platform/db/port.ts';
import type { AccessTokenRow } from './access-tokens/tables.ts';
import type { ApiKeyRow } from './api-keys/tables.ts';
import type { BucketSourceRow, SourceExclusionRow } from './sources/tables.ts';

export type BucketRow = {
  id: string;
  user_id: string;
  name: string;
  /** The name in the form that searches compare. */
  name_key: string;
  region: Region | null;
  webhook: string;
  /** The sealed secrets of the webhook; null until a secret is needed. */
  webhook_secret_sealed: string | null;
  /**
   * When the webhook was disabled because its endpoint answered 410 Gone; null while it is enabled.
   */
  webhook_disabled_at: number | null;
  /**
   * Whether the bucket is being deleted. Every other status is computed, see `bucketStatusOf`: a ban is in
   * `banned_at`, and a suspension in the account of the ledger.
   */
  status: BucketStatus;
  banned_at: number | null;
  /** The id of the bucket. It was the MAC of the API key, and SQLite can't drop a unique column. */
  unused_key_mac: string;
  /** Counts the primary API keys that the bucket has had. Tokens contain it, so a new key revokes them. */
  key_version: number;
  /** The ids of its access tokens that have a name, with commas in between; null where there is none. */
  token_ids: string | null;
  total_uploads: number;
  usage: number;
  /** Whether the bucket's images can be requested in other sizes and formats. */
  transforms: TransformPolicy;
  /** The bytes that the bucket may send in a UTC month; null for no limit. */
  bandwidth_limit: number | null;
  /** The bytes that the bucket may send in a UTC day; null for no limit. */
  bandwidth_daily_limit: number | null;
  /** The end of the month in which the owner was told of a share of the limit; null where they were not. */
  bandwidth_warned_until: number | null;
  /** The largest share of the limit of which they were told, in per cent. */
  bandwidth_warned_percent: number | null;
  /** The same for the day. */
  bandwidth_day_warned_until: number | null;
  bandwidth_day_warned_percent: number | null;
  /** Until when nothing is delivered because a limit is reached; null where none ever was. */
  delivery_stopped_until: number | null;
  /** What the owner demands of requests for files, as JSON; null where that is nothing. */
  delivery_rules: string | null;
  /** For how many days a deleted file can be restored; 0 where it is deleted for good. */
  keep_deleted_days: number;
  /** How many earlier versions of a file are kept. */
  keep_versions: number;
  /** Whether it has kept versions before, or an S3 client has said that it does not any more. */
  was_versioned: SqlBoolean;
  /** Whether the uploaded bytes of images and videos stay once they are processed. */
  keep_originals: SqlBoolean;
  /** The content types of files that are accepted, as JSON; null for all types. */
  allowed_types: string | null;
  /** The bytes of the largest file that is accepted; null for no limit. */
  max_file_bytes: number | null;
  /** The bytes that the bucket may store; null for no limit. */
  storage_limit: number | null;
  /** After how many days files are deleted, by the beginning of their paths, as JSON; null for no rules. */
  expiry_rules: string | null;
  /** When the search for expired files begins or goes on; null where there are no rules. */
  expiry_due_at: number | null;
  /** The path from which it goes on; '' for the first one. */
  expiry_position: string;
  /** The name by which S3 clients know the bucket, unique in its account; null where they know its id only. */
  s3_name: string | null;
  /** Since when it has this name; null where it has none. */
  s3_named_at: number | null;
  /** Whether everybody may list the bucket by S3. */
  lists_public: SqlBoolean;
  /** Whether public files are private nevertheless, and the list too. */
  ignores_public: SqlBoolean;
  /** What S3 clients have set about public access and owners, as JSON; null for nothing. */
  s3_access: string | null;
  /** Whether images and videos that S3 clients put are processed. */
  process_s3: SqlBoolean;
  /** Whether files that it does not have are fetched from a bucket of another S3 server. */
  has_source: SqlBoolean;
  /** The tags that an S3 client has put on the bucket, as a JSON object; null for none. */
  tags: string | null;
  created_at: number;
};

/**
 * The buckets of an account, and what they contain, which triggers count. An account has up to 16 rows,
 * and each of its buckets counts in one of them.
 */
export type AccountTotalRow = {
  user_id: string;
  shard: number;
  buckets: number;
  files: number;
  bytes: number;
};

/** A configuration of a bucket, as an S3 client has sent it. */
export type BucketDocumentRow = {
  bucket_id: string;
  kind: 'cors' | 'lifecycle' | 'policy';
  content: string;
};

declare module '../../platform/db/tables.ts' {
  /** The tables of buckets, by their names. */
  interface Tables {
    buckets: BucketRow;
    bucket_documents: BucketDocumentRow;
    bucket_sources: BucketSourceRow;
    source_exclusions: SourceExclusionRow;
    api_keys: ApiKeyRow;
    access_tokens: AccessTokenRow;
    account_totals: AccountTotalRow;
  }
}
