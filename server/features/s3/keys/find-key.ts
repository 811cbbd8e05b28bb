import type { Database } from '../../../platform/db/port.ts';
import type { Keys } from '../../../platform/secrets/secrets.ts';
import type { FoundKey } from '../auth/authenticate.ts';
import { S3Error } from '../errors.ts';
import { openS3Secret, s3KeyPrincipal } from './s3-key.ts';
import { type S3KeyWithOwner, s3KeyByAccessKeyId } from './s3-keys-store.ts';

/**
 * Returns the key with an access key ID, for a signature to be verified; undefined where there is none.
 * @param onUse called as the key is used, with the time in epoch milliseconds
 */
export async function findS3Key(
  { database, keys }: { database: Pick<Database, 'db'>; keys: Keys },
  accessKeyId: string,
  onUse: (row: S3KeyWithOwner, now: number) => void = () => {},
): Promise<FoundKey | undefined> {
  const row = await s3KeyByAccessKeyId(database.db, accessKeyId);
  if (!row) return undefined;
  return {
    principal: s3KeyPrincipal(row),
    secret: { id: row.id, read: () => openS3Secret(keys, row) },
    use: (now) => {
      requireUsable(row, now);
      onUse(row, now);
    },
  };
}

/** Throws where a key that exists opens nothing. It is said to who has proved that they know the secret only. */
function requireUsable({ owner_status, expires_at }: S3KeyWithOwner, now: number): void {
  if (owner_status !== 'active')
    throw new S3Error('AccessDenied', 'The account of this key is disabled.');
  if (expires_at === null || now < expires_at) return;
  throw new S3Error(
    'AccessDenied',
    `The access key expired at ${new Date(expires_at).toISOString()}.`,
  );
}
