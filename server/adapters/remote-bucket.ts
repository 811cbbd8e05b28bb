import type { Config } from '../config/config.ts';
import { systemResolve } from '../platform/outbound/ssrf-policy.ts';
import type { OpenRemoteBucket } from '../platform/storage/remote-bucket.ts';

import type { S3Settings } from '../platform/storage/s3/client.ts';

/** Returns what opens the buckets of other S3 servers, whose client is loaded with the first one. */
export const remoteBuckets =
  ({ webhookAllowPrivate: allowPrivate }: Pick<Config, 'webhookAllowPrivate'>): OpenRemoteBucket =>
  async (settings) => {
    const { openRemoteBucket } = await import('../platform/storage/s3/remote-bucket.ts');
    return openRemoteBucket(settings, { allowPrivate, resolve: systemResolve });
  };

/** Opens a bucket of another S3 server to which an operator exports files. */
export async function openS3Target(settings: S3Settings) {
  const { openExportTarget } = await import('../platform/storage/s3/export-target.ts');
  return openExportTarget(settings);
}
