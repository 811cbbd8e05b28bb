import { formatBytes } from '../../../contract/units.ts';
import { quotaExceeded } from '../../../errors.ts';

/** What an account may have at the same time. */
export type QuotaLimits = {
  maxBuckets: number;
  maxOpenUploads: number;
  maxOpenBytes: number;
  /** The bytes that an account may store; null means any number. */
  maxBytes: number | null;
  /** The same for an account that has only had its sign-up credit, where `maxBytes` is null. */
  trialMaxBytes: number | null;
};

/** The bytes that an account may store; null means any number. */
export type StorageLimit = { bytes: number; isTrial: boolean } | null;

/** What an account stores, and its unfinished uploads with the bytes that they have reserved. */
export type StorageUsage = { storedBytes: number; openUploads: number; openBytes: number };

/**
 * Returns the storage limit of an account.
 * @param own the limit that the admin has set for it, in bytes; null where there is none
 */
export function storageLimitOf(
  own: number | null,
  { maxBytes, trialMaxBytes }: QuotaLimits,
  isTrial: boolean,
): StorageLimit {
  const bytes = own ?? maxBytes;
  if (bytes !== null) return { bytes, isTrial: false };
  return isTrial && trialMaxBytes !== null ? { bytes: trialMaxBytes, isTrial } : null;
}

/** Throws quota-exceeded where an account may not start another upload, of so many bytes. */
export function requireUpload(
  usage: StorageUsage,
  bytes: number,
  limits: QuotaLimits,
  storageLimit: StorageLimit,
): void {
  if (usage.openUploads >= limits.maxOpenUploads) {
    throw quotaExceeded(
      `This account has ${limits.maxOpenUploads} unfinished uploads, the maximum. Finish or cancel one of them.`,
    );
  }
  const openBytes = usage.openBytes + bytes;
  if (openBytes > limits.maxOpenBytes) {
    throw quotaExceeded(
      `Unfinished uploads of an account can have ${formatBytes(limits.maxOpenBytes)} in total. Finish or cancel one of them.`,
    );
  }
  if (storageLimit && usage.storedBytes + openBytes > storageLimit.bytes) {
    const limit = formatBytes(storageLimit.bytes);
    const used = formatBytes(usage.storedBytes + usage.openBytes);
    throw quotaExceeded(
      `This upload would exceed the account's storage limit of ${limit} (${used} used). Delete files${storageLimit.isTrial ? ', or top up the account,' : ''} to make room.`,
    );
  }
}

/** Throws quota-exceeded where an account that has so many buckets may not create another one. */
export function requireBucket(buckets: number, { maxBuckets }: QuotaLimits): void {
  if (buckets < maxBuckets) return;
  throw quotaExceeded(
    `This account has ${buckets} buckets, the maximum. Delete one of them first.`,
  );
}
