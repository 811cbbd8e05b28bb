import type { ErrorCode } from '../../contract/failure.ts';
import type { Access } from '../../contract/wire.ts';

/** How an import is. One that has failed can be started again, and goes on where it was. */
export type S3ImportStatus = 'running' | 'completed' | 'stopped' | 'failed';

/** A job that copies the objects of a bucket of another S3 server. */
export type S3ImportRow = {
  id: string;
  bucket_id: string;
  /** The account, which has one running import. */
  user_id: string;
  /** Who has started it, as JSON. */
  actor: string;
  /** The version that the primary key of the bucket had then; null where an earlier version of the server stored it. */
  key_version: number | null;
  endpoint: string;
  region: string;
  access_key_id: string;
  /** The sealed secret access key; empty once the import has ended. */
  secret_sealed: string;
  source_bucket: string;
  prefix: string;
  /** Where the objects go: '' or a path that ends in '/'. */
  folder: string;
  access: Access;
  status: S3ImportStatus;
  /** The last key up to which everything is done; '' at the beginning. */
  position: string;
  copied: number;
  skipped: number;
  failed: number;
  /** How many bytes were copied. */
  bytes: number;
  /** Why it has failed or waits, as a sentence; null where nothing is wrong. */
  error: string | null;
  /** Since when nothing has succeeded; null where the last attempt did. */
  failing_since: number | null;
  /** Names the process that is at it; empty for none. */
  lease: string;
  /** Until when no other process may be at it, or until when it waits. */
  leased_until: number;
  created_at: number;
  ended_at: number | null;
};

/** An object that could not be copied. */
export type S3ImportFailureRow = {
  import_id: string;
  key: string;
  code: ErrorCode;
  message: string;
};

declare module '../../platform/db/tables.ts' {
  /** The tables of imports, by their names. */
  interface Tables {
    s3_imports: S3ImportRow;
    s3_import_failures: S3ImportFailureRow;
  }
}
