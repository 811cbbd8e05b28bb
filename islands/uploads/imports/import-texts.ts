import { count, formatBytes, truncate } from '../../../server/contract/units.ts';
import type { BucketSourceWire, S3ImportWire } from '../../../server/contract/wire.ts';

type Import = Pick<
  S3ImportWire,
  'status' | 'bucket' | 'prefix' | 'copied' | 'skipped' | 'failed' | 'bytes' | 'error'
>;

/** Returns what an import does or has done: 'Importing photos/2026/'. */
export function titleOf({ status, bucket, prefix }: Import): string {
  const source = truncate(prefix === '' ? bucket : `${bucket}/${prefix}`);
  return {
    running: `Importing ${source}`,
    completed: `Imported ${source}`,
    stopped: `Stopped importing ${source}`,
    failed: `Could not import all of ${source}`,
  }[status];
}

/** Returns from where missing files are fetched: 'Missing files are fetched from photos/2026/ at minio.example.com'. */
export function sourceText({
  bucket,
  prefix,
  endpoint,
}: Pick<BucketSourceWire, 'bucket' | 'prefix' | 'endpoint'>): string {
  const name = truncate(prefix === '' ? bucket : `${bucket}/${prefix}`);
  return `Missing files are fetched from ${name} at ${new URL(endpoint).host}`;
}

/** Returns how many files that were deleted or moved here are not fetched again. */
export const excludedText = (count: number): string =>
  count === 1
    ? '1 file that was deleted or moved here is not fetched again.'
    : `${count.toLocaleString('en')} files that were deleted or moved here are not fetched again.`;

/** Returns how many files an import has copied, has found and could not copy. */
export function progressOf({ copied, skipped, failed, bytes }: Import): string {
  const parts = [
    `${count(copied, 'file')} copied (${formatBytes(bytes)})`,
    skipped > 0 && `${skipped.toLocaleString('en')} already here`,
    failed > 0 && `${failed.toLocaleString('en')} failed`,
  ];
  return `${parts.filter(Boolean).join(', ')}.`;
}

/** Returns what is wrong with an import; null where nothing is. */
export function problemOf({ status, error }: Import): string | null {
  if (error === null) return null;
  return status === 'running' ? `${error} Trying again in a minute.` : error;
}
