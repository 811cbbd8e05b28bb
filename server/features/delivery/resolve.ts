import { notFound } from '../../errors.ts';
import type { Files } from '../files/service.ts';
import type { CachedRows, FileAndBucketCache } from './caches/file-and-bucket-cache.ts';
import { type DeliveryTarget, parseDeliveryUrl, parsePathUrl } from './delivery-url.ts';
import { whenReady } from './when-ready.ts';

/** A file in its bucket, and what of it is requested. */
export type Resolved = CachedRows & {
  target: Pick<DeliveryTarget, 'name' | 'token' | 'isDownload' | 'parameters'>;
  /** Whether the URL names the path of the file instead of its id. */
  isByPath: boolean;
};

type Sources = { rows: FileAndBucketCache; files: Pick<Files, 'idAt'> };

/** Finds what a URL below /cdn/ requests, at once where the rows are cached. Throws not-found. */
export function resolveUrl(url: string, sources: Sources): Resolved | Promise<Resolved> {
  const target = parseDeliveryUrl(url);
  if (!target) return resolvePath(url, sources);
  return whenReady(findRows(target, sources.rows), (found) => ({
    ...found,
    target,
    isByPath: false,
  }));
}

async function resolvePath(url: string, { rows, files }: Sources): Promise<Resolved> {
  const address = parsePathUrl(url);
  const fileId = address && (await files.idAt(address.bucketId, address.path));
  if (!address || fileId === undefined || fileId === null) throw notFound('File');
  const found = await findRows({ ...address, fileId }, rows);
  return { ...found, target: { ...address, name: found.file.entry ?? '' }, isByPath: true };
}

/** Finds a file and its bucket, at once where they are cached. Throws not-found. */
export const findRows = (
  ids: Pick<DeliveryTarget, 'bucketId' | 'fileId'>,
  rows: FileAndBucketCache,
): CachedRows | Promise<CachedRows> =>
  whenReady(rows.find(ids), (found) => {
    if (!found) throw notFound('File');
    return found;
  });
