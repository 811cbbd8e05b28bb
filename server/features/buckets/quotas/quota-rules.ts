import { formatBytes } from '../../../contract/units.ts';
import { quotaExceeded } from '../../../errors.ts';

/** What an account may have at the same time. */
export type QuotaLimits = { maxBuckets: number; maxOpenUploads: number; maxOpenBytes: number };

/** The unfinished uploads of an account, and the bytes that they have reserved. */
export type OpenUploads = { count: number; bytes: number };

/** Throws quota-exceeded where an account may not start another upload, of so many bytes. */
export function requireUpload(open: OpenUploads, bytes: number, limits: QuotaLimits): void {
  const { maxOpenUploads, maxOpenBytes } = limits;
  if (open.count >= maxOpenUploads) {
    throw quotaExceeded(
      `This account has ${maxOpenUploads} unfinished uploads, the maximum. Finish or cancel one of them.`,
    );
  }
  if (open.bytes + bytes > maxOpenBytes) {
    throw quotaExceeded(
      `Unfinished uploads of an account can have ${formatBytes(maxOpenBytes)} in total. Finish or cancel one of them.`,
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
