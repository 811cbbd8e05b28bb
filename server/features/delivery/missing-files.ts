import type { Access } from '../../contract/wire.ts';
import { AppError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Bucket, parseRules } from '../buckets/service.ts';
import type { Tokens } from '../tokens/service.ts';
import { authorize } from './authorize.ts';
import type { FileAndBucketCache } from './caches/file-and-bucket-cache.ts';
import { parsePathUrl } from './delivery-url.ts';
import { type FileRules, toFileRules } from './rule-check.ts';
import { isSiteRequest } from './sites/site-hosts.ts';
import { indexPath, isFolderPath } from './sites/site-paths.ts';

/**
 * Fetches the file of a path from the source of its bucket, if that has one and the file is there. Returns whether it has
 * come.
 * @param reader.id whom it counts for that the source does not have the file
 * @param reader.mayOpen whether they may open a file there with such access
 */
export type FetchMissing = (
  bucket: Bucket,
  path: string,
  reader: { id: string; mayOpen: (access: Access) => Promise<boolean> },
) => Promise<boolean>;

/** Who requests a file. */
export type Reader = {
  /** Checks the rules of the bucket's owner, before anything is fetched or generated. Throws what they refuse. */
  check: (rules: FileRules) => void;
  /** Returns the address by which limits count them. */
  address: () => string;
};

type Deps = {
  rows: Pick<FileAndBucketCache, 'findBucket'>;
  siteHosts: Set<string>;
  tokens: Tokens;
  clock: Clock;
  fetchMissing: FetchMissing;
};

/** Files that URLs name by their paths, and that are still where their bucket moves from. */
export class MissingFiles {
  constructor(private readonly deps: Deps) {}

  /** Fetches what a URL requests. Returns whether it has come. Throws unavailable, too-many, and what `check` throws. */
  async fetch(url: string, { check, address: addressOf }: Reader): Promise<boolean> {
    const address = parsePathUrl(url);
    if (!address) return false;
    const bucket = await this.deps.rows.findBucket(address.bucketId);
    if (bucket?.has_source !== 1) return false;
    for (const path of this.pathsOf(url, address.path, bucket)) {
      const mayOpen = async (access: Access) => {
        if (!(await this.isAllowed({ path, access }, bucket, address.token))) return false;
        const rules = toFileRules(bucket, null);
        if (rules) check(rules);
        return true;
      };
      const reader = { id: addressOf(), mayOpen };
      if (await this.deps.fetchMissing(bucket, path, reader)) return true;
    }
    return false;
  }

  /** Returns the paths at which what a URL requests can be: of a static site also the page of a folder. */
  private pathsOf(url: string, path: string, { delivery_rules }: Bucket): string[] {
    const isSite =
      isSiteRequest(url, this.deps.siteHosts) && parseRules(delivery_rules).static_site;
    return [...(isFolderPath(path) ? [] : [path]), ...(isSite ? [indexPath(path)] : [])];
  }

  private async isAllowed(
    { path, access }: { path: string; access: Access },
    bucket: Bucket,
    token: string | null,
  ): Promise<boolean> {
    try {
      await authorize(
        { file: { id: '', path, access, expires_at: null }, bucket },
        token,
        this.deps,
      );
      return true;
    } catch (error) {
      // Who may not open it is not told that it is there. What else is in the way is told as for a file that is here.
      if (error instanceof AppError && [401, 403, 404].includes(error.status)) return false;
      throw error;
    }
  }
}
