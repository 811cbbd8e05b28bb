import { randomBytes } from 'node:crypto';
import type { S3KeyWire } from '../../../contract/wire.ts';
import { newId } from '../../../platform/ids.ts';
import { type Keys, seal, unseal } from '../../../platform/secrets/secrets.ts';
import type { S3KeyAccess, S3KeyPrincipal } from '../../access/principal.ts';
import type { S3KeyRow } from './tables.ts';

const ID_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const ID_PREFIX = 'WHRF';
const ID_RANDOM_LENGTH = 16;
/** In Base64url, which every client takes as it is: 40 characters, as many as AWS has. */
const SECRET_BYTES = 30;

/** What a key may do, and for how long. */
export type S3KeyForm = {
  name: string;
  access: S3KeyAccess;
  bucketIds: string[] | null;
  /** Epoch milliseconds; null for never. */
  expiresAt: number | null;
};

/** What a client uses the key with. */
type Credentials = { accessKeyId: string; secretAccessKey: string };

/** Returns random ones. The access key ID has the form of those of AWS. */
const newCredentials = (): Credentials => ({
  accessKeyId: newAccessKeyId(),
  secretAccessKey: randomBytes(SECRET_BYTES).toString('base64url'),
});

/** Returns a new key of an account, and its row. */
export function newS3Key(
  keys: Keys,
  now: number,
  userId: string,
  { name, access, bucketIds, expiresAt }: S3KeyForm,
  { accessKeyId, secretAccessKey: secret }: Credentials = newCredentials(),
): { secret: string; row: S3KeyRow } {
  const id = newId(now);
  const row = {
    ...{ id, user_id: userId, name, access },
    access_key_id: accessKeyId,
    secret_sealed: seal(keys('s3-key-seal'), secret, id),
    bucket_ids: bucketIds && JSON.stringify(bucketIds),
    expires_at: expiresAt,
    last_used_at: null,
    created_at: now,
  };
  return { secret, row };
}

const newAccessKeyId = (): string =>
  ID_PREFIX +
  [...randomBytes(ID_RANDOM_LENGTH)]
    .map((byte) => ID_ALPHABET[byte % ID_ALPHABET.length] ?? '')
    .join('');

/** Returns the secret access key of a row. */
export const openS3Secret = (keys: Keys, { id, secret_sealed }: S3KeyRow): string =>
  unseal(keys.all('s3-key-seal'), secret_sealed, id);

/** Returns who uses a key. */
export const s3KeyPrincipal = (row: S3KeyRow): S3KeyPrincipal => ({
  kind: 's3-key',
  keyId: row.id,
  userId: row.user_id,
  access: row.access,
  bucketIds: parseBucketIds(row),
});

/**
 * Returns a key as the API shows it, without its secret.
 * @param names the names of buckets by their ids
 */
export const toS3KeyWire = (row: S3KeyRow, names: ReadonlyMap<string, string>): S3KeyWire => ({
  id: row.id,
  name: row.name,
  access_key_id: row.access_key_id,
  access: row.access,
  buckets: parseBucketIds(row),
  bucket_names: parseBucketIds(row)?.map((id) => names.get(id) ?? null) ?? null,
  expires_at: toText(row.expires_at),
  last_used: toText(row.last_used_at),
  date: new Date(row.created_at).toISOString(),
});

/** Returns the ids of the buckets that a key opens; null for all of its account. */
export const parseBucketIds = ({ bucket_ids }: S3KeyRow): string[] | null =>
  bucket_ids === null ? null : (JSON.parse(bucket_ids) as string[]);

const toText = (at: number | null) => (at === null ? null : new Date(at).toISOString());
