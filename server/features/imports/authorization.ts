import type { Actor } from '../../platform/audit/record.ts';
import type { Bucket } from '../buckets/service.ts';
import type { S3ImportRow } from './tables.ts';

/** An import may not go on. The message says why, in a sentence for its account. */
export class ImportRefusedError extends Error {}

/**
 * Returns the bucket of an import as it is now. Throws ImportRefusedError where the import may not go on. Its key may have
 * expired, as an upload that was begun goes on too; but one that was deleted or replaced may be in the hands of others.
 */
export function requireAuthorized<Current extends Authorizing>(
  { actor, key_version }: Pick<S3ImportRow, 'actor' | 'key_version'>,
  bucket: Current | undefined,
): Current {
  if (bucket?.status !== 'running') {
    throw new ImportRefusedError('The bucket is suspended, banned or being deleted.');
  }
  const keyId = keyIdOf(JSON.parse(actor));
  if (keyId === null || isLiveKey(keyId, key_version, bucket)) return bucket;
  throw new ImportRefusedError('The API key that started the import was deleted or replaced.');
}

type Authorizing = Pick<Bucket, 'id' | 'status' | 'key_ids' | 'key_version'>;

const keyIdOf = (actor: Actor): string | null =>
  actor !== 'system' && 'keyId' in actor ? actor.keyId : null;

/** @param version that of the primary key at the start; null where it is not known */
function isLiveKey(keyId: string, version: number | null, bucket: Authorizing): boolean {
  // The primary key has the id of its bucket, also once it is replaced.
  if (keyId === bucket.id) return version === null || version === bucket.key_version;
  return bucket.key_ids?.includes(keyId) ?? false;
}
