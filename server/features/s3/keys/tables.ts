import type { S3KeyAccess } from '../../access/principal.ts';

/** An access key of an account for the S3 API. */
export type S3KeyRow = {
  id: string;
  user_id: string;
  name: string;
  access_key_id: string;
  /** The sealed secret access key. */
  secret_sealed: string;
  access: S3KeyAccess;
  /** The ids of the buckets that the key opens, as JSON; null for all of the account. */
  bucket_ids: string | null;
  expires_at: number | null;
  last_used_at: number | null;
  created_at: number;
};

declare module '../../../platform/db/tables.ts' {
  /** The tables of the S3 API, by their names. */
  interface Tables {
    s3_keys: S3KeyRow;
  }
}
