import { AppError, notFound } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/port.ts';
import type { Events } from '../../platform/events/port.ts';
import type { ObjectStore } from '../../platform/storage/port.ts';
import type { Bucket, Buckets } from '../buckets/service.ts';
import type { Files } from '../files/service.ts';
import type { Tokens } from '../tokens/service.ts';
import { authorize } from './authorize.ts';
import { FileAndBucketCache } from './caches/file-and-bucket-cache.ts';
import { ObjectCache } from './caches/object-cache.ts';
import type { DeliveryTarget } from './delivery-url.ts';
import { pathRedirectHeaders } from './headers.ts';
import { type FetchMissing, MissingFiles, type Reader } from './missing-files.ts';
import { type Client, Opener } from './open.ts';
import { findRows, type Resolved, resolveNotFound, resolveUrl } from './resolve.ts';
import { type FileRules, toFileRules } from './rule-check.ts';
import { siteHosts } from './sites/site-hosts.ts';
import { folderLocation } from './sites/site-paths.ts';
import type { Deriver } from './transforms/generate.ts';
import type { PreviewSize } from './transforms/previews.ts';
import { TransformService } from './transforms/service.ts';
import type { Deliverable } from './variants.ts';
import { whenReady } from './when-ready.ts';

export { countBody } from './byte-counter.ts';
export { requireWhole } from './caches/object-cache.ts';
export { addToken } from './delivery-url.ts';
export { RUNS_IN_BROWSERS, SECURITY_HEADERS } from './headers.ts';
export { hostsOf, RuleCheck, requireReferrer, toFileRules } from './rule-check.ts';

export type Opened = Pick<Resolved, 'isCurrent'> & {
  fileId: string;
  bucketId: string;
  deliverable: Deliverable;
  /** What the owner of the bucket demands of each request; null where it is nothing. */
  rules: FileRules | null;
  /** Whether the file is the page of a static site for what is not there. */
  isNotFound: boolean;
};

/**
 * Where the playlist of a video is by its id, or the folder of a static site, without the query of the request, and the
 * other headers that say so.
 */
export type Redirect = Pick<Opened, 'rules'> & {
  location: string;
  headers: Record<string, string>;
};

/** Resolves the URL of a request, authorizes it, and opens its object: each once, and at once where it is cached. */
export class Delivery {
  private readonly deps: { tokens: Tokens; clock: Clock };
  private readonly sources: Parameters<typeof resolveUrl>[1];
  private readonly rows: FileAndBucketCache;
  private readonly missing: MissingFiles;
  /** Generates images in other sizes and formats, and keeps them within their limits. */
  readonly transforms: TransformService;
  private readonly opener: Opener;

  constructor(deps: {
    buckets: Buckets;
    files: Files;
    tokens: Tokens;
    objects: Pick<ObjectStore, 'open'>;
    events: Events;
    database: Database;
    clock: Clock;
    media: Deriver;
    appUrl: string;
    regionRouter: { cdnUrls: string[] };
    derivativesMaxBytes: number;
    cdnVariesAccept: boolean;
    s3PublicRedirect: boolean;
    fetchMissing: FetchMissing;
    onError: (error: unknown) => void;
  }) {
    const { buckets, files, regionRouter, appUrl } = deps;
    this.deps = deps;
    this.rows = new FileAndBucketCache(deps.events, {
      file: (id) => files.forDelivery(id),
      fileAt: (bucketId, path) => files.forDeliveryAt(bucketId, path),
      bucket: (id) => buckets.byId(id),
    });
    const hosts = siteHosts(regionRouter.cdnUrls, appUrl);
    this.sources = { rows: this.rows, siteHosts: hosts };
    this.missing = new MissingFiles({ ...deps, ...this.sources });
    const objects = new ObjectCache(deps.objects);
    this.transforms = new TransformService({ ...deps, objects });
    this.opener = new Opener({ ...deps, objects, transforms: this.transforms });
  }

  /**
   * Opens what a URL requests, at once where all of it is cached. A private file needs a read token of its
   * bucket. Throws not-found, payment-required, unauthorized, bad-token, transforms-off, what the rules of the bucket
   * refuse, and the errors of transforms.
   */
  open(
    url: string,
    client: Client,
    reader: Reader,
  ): Opened | Redirect | Promise<Opened | Redirect> {
    const openResolved = (resolved: Resolved) => {
      const opened = whenReady(this.authorizeAddress(resolved), (token) =>
        this.openAuthorized(url, resolved, { token, client, check: reader.check }),
      );
      // What was waited for may have changed, or its second be over, so that it is kept by nobody.
      return opened instanceof Promise
        ? opened.then((late) => ('location' in late ? late : { ...late, isCurrent: () => false }))
        : opened;
    };
    const openPage = (error: unknown) =>
      whenReady(this.findPage(url, error), (page) => openResolved(page));
    try {
      const opening = whenReady(this.resolve(url, reader), openResolved);
      return opening instanceof Promise ? opening.catch(openPage) : opening;
    } catch (error) {
      return openPage(error);
    }
  }

  /** Finds what a URL requests, also where it has to be fetched from the source of its bucket first. */
  private resolve(url: string, reader: Reader): Resolved | Promise<Resolved> {
    const resolving = resolveUrl(url, this.sources);
    if (!(resolving instanceof Promise)) return resolving;
    return resolving.catch(async (error) => {
      const isMissing = error instanceof AppError && error.code === 'not-found';
      if (!isMissing || !(await this.missing.fetch(url, reader))) throw error;
      return resolveUrl(url, this.sources);
    });
  }

  /**
   * Finds the page that a static site has for a URL that failed with an error, which is thrown where it has none. A file
   * that is hidden from the caller is answered as one that is not there.
   */
  private findPage(url: string, error: unknown): Resolved | Promise<Resolved> {
    const isNotFound = error instanceof AppError && error.status === 404;
    return whenReady(isNotFound ? resolveNotFound(url, this.sources) : null, (page) => {
      if (!page) throw error;
      return page;
    });
  }

  /** The path of a private file can be guessed, so it is there only for those who may open it. */
  private authorizeAddress(resolved: Resolved): ReturnType<typeof authorize> {
    const { target, isByPath } = resolved;
    if (!isByPath) return authorize(resolved, target.token, this.deps);
    const hide = (error: unknown): never => {
      throw error instanceof AppError && [401, 403].includes(error.status)
        ? notFound('File')
        : error;
    };
    try {
      const token = authorize(resolved, target.token, this.deps);
      return token instanceof Promise ? token.catch(hide) : token;
    } catch (error) {
      return hide(error);
    }
  }

  private openAuthorized(
    url: string,
    resolved: Resolved,
    {
      token,
      client,
      check,
    }: { token: string | null; client: Client; check: (rules: FileRules) => void },
  ): Opened | Redirect | Promise<Opened> {
    const { file, bucket, isByPath, target, sitePart } = resolved;
    if (isByPath && file.entry === null) throw notFound('File');
    const [fileId, bucketId] = [file.id, bucket.id];
    const rules = toFileRules(bucket, fileId);
    if (rules) check(rules);
    const headers = () => pathRedirectHeaders(resolved);
    if (sitePart === 'folder') return { location: folderLocation(url), headers: headers(), rules };
    // A playlist names its segments relative to itself.
    if (isByPath && file.file_type === 'video') {
      const location = `/cdn/${bucketId}/${fileId}/${target.name}`;
      return { location, headers: headers(), rules };
    }
    const isNotFound = sitePart === 'not-found';
    const isCurrent = isNotFound ? () => false : resolved.isCurrent;
    return whenReady(this.opener.open(resolved, token, client), (deliverable) => ({
      ...{ fileId, bucketId, deliverable, rules, isCurrent, isNotFound },
    }));
  }

  /**
   * Checks that a URL may open its file. Returns its bucket, with the token that all objects of a private file
   * need, which is null for a public file. Throws not-found, payment-required, bandwidth-limit,
   * unauthorized, bad-token.
   */
  async authorize(
    target: Pick<DeliveryTarget, 'bucketId' | 'fileId' | 'token'>,
  ): Promise<{ bucket: Bucket; token: string | null }> {
    const rows = await findRows(target, this.rows);
    return { bucket: rows.bucket, token: await authorize(rows, target.token, this.deps) };
  }

  /**
   * Opens a preview of a file for the dashboard, whoever may open the file itself. Null where none can
   * be shown now: the file is not ready, its bucket generates no images or delivers nothing, or it fails.
   * Throws not-found.
   */
  async openPreview(
    ids: Pick<DeliveryTarget, 'bucketId' | 'fileId'>,
    size: PreviewSize,
    signal: AbortSignal,
  ): Promise<Deliverable | null> {
    const rows = await findRows(ids, this.rows);
    const { status, transforms } = rows.bucket;
    const isShown = status === 'running' || status === 'suspended';
    if (!isShown || transforms === 'off') return null;
    return this.opener.openPreview(rows, size, signal);
  }
}
