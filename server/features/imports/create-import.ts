import { conflict, invalid } from '../../errors.ts';
import { type Actor, quoted, record } from '../../platform/audit/record.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/port.ts';
import { newId } from '../../platform/ids.ts';
import { type Keys, seal } from '../../platform/secrets/secrets.ts';
import { type OpenRemoteBucket, RemoteBucketError } from '../../platform/storage/remote-bucket.ts';
import type { Bucket } from '../buckets/service.ts';
import * as store from './imports-store.ts';
import type { ImportSettings } from './settings.ts';
import type { S3ImportRow } from './tables.ts';

export type CreateImportDeps = {
  database: Database;
  clock: Clock;
  keys: Keys;
  openRemoteBucket: OpenRemoteBucket;
};

/** How many imports of a bucket are listed, and kept at most. */
export const LISTED_IMPORTS = 20;
const NEVER = new AbortController().signal;

/**
 * Stores an import, which a server then runs, once the source has listed its bucket. Throws invalid, conflict where
 * another import of the account is running, and download-failed where the source can't be read.
 */
export async function createImport(
  deps: CreateImportDeps,
  bucket: Pick<Bucket, 'id' | 'user_id' | 'key_version'>,
  settings: ImportSettings,
  actor: Actor,
): Promise<S3ImportRow> {
  await requireSource(deps, settings);
  const { database, clock, keys } = deps;
  const { remote, ...target } = settings;
  const now = clock();
  const id = newId(now);
  const row: S3ImportRow = {
    ...{ id, bucket_id: bucket.id, user_id: bucket.user_id, actor: JSON.stringify(actor) },
    key_version: bucket.key_version,
    ...{ endpoint: remote.endpoint, region: remote.region, access_key_id: remote.accessKeyId },
    secret_sealed: seal(keys('s3-import-seal'), remote.secretAccessKey, id),
    ...{ source_bucket: remote.bucket, ...target, status: 'running', position: '' },
    ...{ copied: 0, skipped: 0, failed: 0, bytes: 0, error: null, failing_since: null },
    ...{ lease: '', leased_until: 0, created_at: now, ended_at: null },
  };
  await database.transaction(async (tx) => {
    if (!(await store.insertImport(tx, row))) {
      throw conflict('Another import of this account is running. Stop it, or wait for its end.');
    }
    await store.deleteOldImports(tx, bucket.id, LISTED_IMPORTS);
    await record(tx, now, {
      ...{ section: 'files', action: 's3-import.started', actor, subject: id },
      message: `Import of ${quoted(remote.bucket)} from ${remote.endpoint} started.`,
      details: { bucket: bucket.id },
    });
  });
  return row;
}

/** Throws download-failed where the bucket of another server can't be listed. */
export async function requireSource(
  { openRemoteBucket }: Pick<CreateImportDeps, 'openRemoteBucket'>,
  { remote, prefix }: ImportSettings,
): Promise<void> {
  try {
    const opened = await openRemoteBucket(remote);
    await opened.list({ prefix, after: '' }, { limit: 1, signal: NEVER });
  } catch (error) {
    if (!(error instanceof RemoteBucketError)) throw error;
    throw invalid(`The bucket could not be read. ${error.message}`, 'download-failed');
  }
}
