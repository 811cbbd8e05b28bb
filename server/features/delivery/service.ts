import { MINUTE, SECOND } from '../../contract/limits.ts';
import { MASTER_PLAYLIST, PARTIAL_PLAYLIST } from '../../contract/media.ts';
import { AppError, notFound } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/port.ts';
import type { Events } from '../../platform/events/port.ts';
import type { ObjectStore } from '../../platform/storage/port.ts';
import { can } from '../access/can.ts';
import type { Buckets } from '../buckets/service.ts';
import type { DeliveredFile, Files } from '../files/service.ts';
import type { Tokens } from '../tokens/service.ts';
import { readerOf, toDeliveryError } from './authorize.ts';
import { createObjectCache, type ObjectCache } from './caches/object-cache.ts';
import { PlaylistCache } from './caches/playlist-cache.ts';
import { RowCache, type Rows } from './caches/row-cache.ts';
import { createUrlCache } from './caches/url-cache.ts';
import type { DeliveryTarget, PathTarget } from './delivery-url.ts';
import { isText } from './headers.ts';
import { type FileRules, toFileRules } from './rule-check.ts';
import type { Deriver } from './transforms/generate.ts';
import { type PreviewSize, TransformService } from './transforms/service.ts';
import type { Deliverable } from './variants.ts';

export { addToken } from './delivery-url.ts';
export { hostsOf, requireReferrer } from './rule-check.ts';

/** The parts of a Request that delivery reads. */
type Client = { headers: Headers; signal: AbortSignal };
export type Delivered = { deliverable: Deliverable; cacheControl?: string | undefined };

/** How long caches may keep what is at a path, where another file may be afterwards. */
const BY_PATH_CACHE = `public, max-age=${MINUTE / SECOND}`;

/** Finds the object of a delivery URL, and decides whether the client may open it. */
export class Delivery {
  private readonly clock: Clock;
  private readonly files: Pick<Files, 'idAt'>;
  private readonly tokens: Tokens;
  private readonly objects: ObjectCache;
  private readonly playlists = new PlaylistCache();
  private readonly transforms: TransformService;
  private readonly rows: RowCache;

  constructor(deps: {
    buckets: Buckets;
    files: Files;
    tokens: Tokens;
    objects: Pick<ObjectStore, 'open'>;
    events: Events;
    database: Database;
    clock: Clock;
    media: Deriver;
    derivativesMaxBytes: number;
    cdnVariesAccept: boolean;
    s3PublicRedirect: boolean;
    onError: (error: unknown) => void;
  }) {
    const { buckets, files } = deps;
    this.clock = deps.clock;
    this.files = files;
    this.tokens = deps.tokens;
    const objects = createObjectCache(deps.objects, { publicRedirect: deps.s3PublicRedirect });
    this.objects = objects;
    this.transforms = new TransformService({ ...deps, objects });
    this.rows = new RowCache(deps.events, {
      file: (id) => files.forDelivery(id),
      bucket: (id) => buckets.byId(id),
    });
  }

  /** Creates a cache by URL, which keeps entries until the second ends or they are no longer current. */
  createUrlCache<Entry extends { isCurrent(): boolean }>() {
    return createUrlCache<Entry>(this.clock);
  }

  /** Keeps images in other sizes and formats within their limits. */
  evictTransforms(): Promise<void> {
    return this.transforms.round();
  }

  /** Ends a running eviction of such images, and starts no other. */
  stop(): Promise<void> {
    return this.transforms.stop();
  }

  /** Counts the generated images of a bucket, and their bytes. */
  countTransforms(bucketId: string): Promise<{ images: number; bytes: number }> {
    return this.transforms.countTransforms(bucketId);
  }

  /**
   * Checks that a URL may open its file. Returns the file and its bucket, with the token that all
   * objects of a private file need, which is null for a public file. Throws not-found,
   * payment-required, bandwidth-limit,
   * unauthorized, bad-token.
   */
  async authorize(
    target: Pick<DeliveryTarget, 'bucketId' | 'fileId' | 'token'>,
  ): Promise<Rows & { token: string | null }> {
    const rows = await this.rows.find(target);
    if (!rows) throw notFound('File');
    const { file, bucket } = rows;
    const token = requiredToken(file, target.token);
    const grant = token ? await this.tokens.verify(token, 'read') : undefined;
    const now = this.clock();
    const refusal = can(readerOf(grant), 'open-file', { file, bucket, now });
    if (refusal) throw toDeliveryError(refusal, (bucket.delivery_stopped_until ?? now) - now);
    return { file, bucket, token };
  }

  /**
   * Finds the file at a path, and returns what its address by id would request. The path of a private file can be
   * guessed, so it is there only for those who may open it. Throws not-found, and what `authorize` does.
   */
  async findByPath({ path, ...address }: PathTarget): Promise<{
    target: DeliveryTarget & Pick<Delivered, 'cacheControl'>;
    isVideo: boolean;
  }> {
    const fileId = await this.files.idAt(address.bucketId, path);
    if (fileId === undefined) throw notFound('File');
    const { file } = await this.authorize({ ...address, fileId }).catch((error) => {
      const isHidden = error instanceof AppError && [401, 403].includes(error.status);
      throw isHidden ? notFound('File') : error;
    });
    if (file.entry === null) throw notFound('File');
    const cacheControl = file.access === 'public' ? BY_PATH_CACHE : undefined;
    const target = { ...address, fileId, name: file.entry, cacheControl };
    return { target, isVideo: file.file_type === 'video' };
  }

  /**
   * Returns an object that is cached and authorized; undefined where it has to be opened. It may be kept
   * while the second lasts and the rows that it was authorized by are current.
   */
  getCached(
    target: DeliveryTarget,
    client: Client,
  ): { deliverable: Deliverable; isCurrent: () => boolean; rules: FileRules | null } | undefined {
    const rows = this.rows.get(target);
    const deliverable = rows && this.getCachedOf(rows, target, client);
    if (!deliverable) return undefined;
    const rules = toFileRules(rows.bucket, rows.file.id);
    return { deliverable, isCurrent: rows.isCurrent, rules };
  }

  private getCachedOf(
    { file, bucket }: Rows,
    target: DeliveryTarget,
    client: Client,
  ): Deliverable | undefined {
    if (file.prefix === null) return undefined;
    const token = requiredToken(file, target.token);
    const grant = token ? this.tokens.getVerified(token, 'read') : undefined;
    const opened = { file, bucket, now: this.clock() };
    if (can(readerOf(grant), 'open-file', opened)) return undefined;
    if (token && isText({ file, name: target.name }))
      return this.playlists.get(file.prefix + target.name, token);
    if (target.parameters === '') return this.objects.getOf(file, target.name);
    if (bucket.transforms === 'off') return undefined;
    return this.transforms.getCached(file, file.prefix, transformRequestOf(target, client));
  }

  /**
   * Opens what a URL requests. A private file needs a read token of its bucket. Throws not-found,
   * payment-required, unauthorized, bad-token, transforms-off, what `check` throws, and the errors of
   * transforms.
   * @param check checks the rules of the bucket's owner, before anything is generated
   */
  async open(
    target: DeliveryTarget,
    client: Client,
    check: (rules: FileRules) => void,
  ): Promise<Delivered> {
    const { file, bucket, token } = await this.authorize(target);
    const rules = toFileRules(bucket, file.id);
    if (rules) check(rules);
    const request = transformRequestOf(target, client);
    const params = this.transforms.parse(file, request);
    if (params) {
      if (bucket.transforms === 'off') throw transformsOff();
      return { deliverable: await this.transforms.open(file, request, params, client.signal) };
    }
    return this.openObject(file, target.name, token);
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
  ): Promise<(Rows & { deliverable: Deliverable }) | null> {
    const rows = await this.rows.find(ids);
    if (!rows) throw notFound('File');
    const { file, bucket } = rows;
    const isShown = bucket.status === 'running' || bucket.status === 'suspended';
    if (!isShown || bucket.transforms === 'off') return null;
    const deliverable = await this.transforms.openPreview(file, size, signal);
    return deliverable && { ...rows, deliverable };
  }

  private async openObject(
    file: DeliveredFile,
    name: string,
    token: string | null,
  ): Promise<Delivered> {
    const isProcessing = file.status === 'processing';
    const objectName = isProcessing && name === MASTER_PLAYLIST ? PARTIAL_PLAYLIST : name;
    if (file.prefix === null) throw notFound('File');
    const key = file.prefix + objectName;
    const subject = { file, name };
    const deliverable = await this.objects.open(key, subject);
    if (!deliverable) throw notFound('File');
    // A private playlist contains the token, so it is rendered for each token.
    if (token !== null && isText(subject)) {
      const source = { original: deliverable, subject, token };
      return { deliverable: await this.playlists.open(key, source) };
    }
    // A failed attempt withdraws what it published early, and the next attempt publishes it again.
    const isFinal = !isProcessing || file.access === 'private';
    return { deliverable, cacheControl: isFinal ? undefined : 'no-cache' };
  }
}

const transformRequestOf = ({ name, parameters }: DeliveryTarget, { headers }: Client) => ({
  name,
  query: parameters,
  headers,
});

const transformsOff = () =>
  new AppError(403, 'transforms-off', 'Image transforms are turned off for this bucket.');

/**
 * Returns the token that has to be verified. A public file needs none, whatever its URL contains.
 */
const requiredToken = ({ access }: DeliveredFile, token: string | null): string | null =>
  access === 'private' ? token : null;
