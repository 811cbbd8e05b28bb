import { notFound } from '../../errors.ts';
import { parseRules } from '../buckets/service.ts';
import type { CachedRows, FileAndBucketCache } from './caches/file-and-bucket-cache.ts';
import {
  type DeliveryTarget,
  type PathTarget,
  parseDeliveryUrl,
  parsePathUrl,
} from './delivery-url.ts';
import { isSiteRequest } from './sites/site-hosts.ts';
import { indexPath, isFolderPath, NOT_FOUND_PAGE, type SitePart } from './sites/site-paths.ts';
import { whenReady } from './when-ready.ts';

/** A file in its bucket, and what of it is requested. */
export type Resolved = CachedRows & {
  target: Pick<DeliveryTarget, 'name' | 'token' | 'isDownload' | 'parameters'>;
  /** Whether the URL names the path of the file instead of its id. */
  isByPath: boolean;
  /** What it is to a static site; null where it is opened as it is. */
  sitePart: SitePart | null;
};

type Sources = { rows: FileAndBucketCache; siteHosts: Set<string> };

/** Finds what a URL below /cdn/ requests, at once where the rows are cached. Throws not-found. */
export function resolveUrl(url: string, sources: Sources): Resolved | Promise<Resolved> {
  const target = parseDeliveryUrl(url);
  if (!target) return resolvePath(url, sources);
  return whenReady(findRows(target, sources.rows), (found) => ({
    ...found,
    target,
    isByPath: false,
    sitePart: null,
  }));
}

function resolvePath(url: string, sources: Sources): Resolved | Promise<Resolved> {
  const address = parsePathUrl(url);
  if (!address) throw notFound('File');
  const { path } = address;
  const isAtSiteHost = isSiteRequest(url, sources.siteHosts);
  const resolveIndex = () => {
    const index = isAtSiteHost ? findPath(address, indexPath(path), sources) : null;
    return whenReady(index, (found): Resolved => {
      if (!found || !isSite(found)) throw notFound('File');
      return { ...found, sitePart: isFolderPath(path) ? 'page' : 'folder' };
    });
  };
  return whenReady(isFolderPath(path) ? null : findPath(address, path, sources), (file) =>
    file ? { ...file, sitePart: isAtSiteHost && isSite(file) ? 'page' : null } : resolveIndex(),
  );
}

/** Finds the page of a static site for a URL that leads to none of its files; null where there is no such page. */
export function resolveNotFound(
  url: string,
  sources: Sources,
): Resolved | null | Promise<Resolved | null> {
  const address = isSiteRequest(url, sources.siteHosts) ? parsePathUrl(url) : null;
  return whenReady(address && findPath(address, NOT_FOUND_PAGE, sources), (page) =>
    page && isSite(page) ? { ...page, sitePart: 'not-found' } : null,
  );
}

type Found = Omit<Resolved, 'sitePart'> | null;

const findPath = (address: PathTarget, path: string, { rows }: Sources): Found | Promise<Found> =>
  whenReady(rows.findAt(address.bucketId, path), (found) =>
    found
      ? { ...found, target: { ...address, name: found.file.entry ?? '' }, isByPath: true }
      : null,
  );

const isSite = ({ bucket }: CachedRows): boolean => parseRules(bucket.delivery_rules).static_site;

/** Finds a file and its bucket, at once where they are cached. Throws not-found. */
export const findRows = (
  ids: Pick<DeliveryTarget, 'bucketId' | 'fileId'>,
  rows: FileAndBucketCache,
): CachedRows | Promise<CachedRows> =>
  whenReady(rows.find(ids), (found) => {
    if (!found) throw notFound('File');
    return found;
  });
