import { LRUCache } from 'lru-cache';
import { SECOND } from '../../../contract/limits.ts';
import type { Events } from '../../../platform/events/port.ts';
import { growingTo } from '../../../platform/growing-cache.ts';
import { BUCKET_EVENTS, type Bucket, type BucketEvent } from '../../buckets/service.ts';
import { type DeliveredFile, FILE_EVENTS, type FileEventEnvelope } from '../../files/service.ts';
import { type CachedFile, FileCache } from './file-cache.ts';

export type Rows = { file: DeliveredFile; bucket: Bucket };
/** Rows that others may keep until they have changed, or may have. */
export type CachedRows = Rows & { isCurrent: () => boolean };

const MAX_BUCKETS = 1_000;
/**
 * Every change is published at once to all processes. If the event of a bucket is lost, because a process dies after
 * the commit, its new key or status takes effect after this time. The cache by URL adds up to a second and the clock
 * of the cache a tenth of a second, so it takes at most 5 s.
 */
const BUCKET_TTL_MS = 3.9 * SECOND;
const TTL_RESOLUTION_MS = SECOND / 10;

type Ids = { bucketId: string; fileId: string };
type Loaders = {
  file(id: string): Promise<DeliveredFile | undefined>;
  fileAt(bucketId: string, path: string): Promise<DeliveredFile | undefined>;
  bucket(id: string): Promise<Bucket | undefined>;
};
type CachedBucket = { row: Bucket; isCurrent: boolean };
/** Which file is loaded by its path is not known before. */
type Load = { bucketId: string; fileId: string | null; isCurrent: boolean };

/**
 * A cache of files and their buckets, which `load` loads. An entry is dropped when it changes, and only then,
 * because the other tenants of a server change something all the time.
 */
export class FileAndBucketCache {
  private readonly files = new FileCache();
  private readonly buckets = createBucketCache();
  private readonly loads = new Set<Load>();

  constructor(
    events: Events,
    private readonly load: Loaders,
  ) {
    events.subscribe(FILE_EVENTS, (payload) => {
      const { event } = payload as FileEventEnvelope;
      if (event.type === 'file.progress') return;
      const { file_id, bucket_id } = event;
      this.files.delete(file_id);
      this.endLoads(({ fileId, bucketId }) =>
        fileId === null ? bucketId === bucket_id : fileId === file_id,
      );
    });
    events.subscribe(BUCKET_EVENTS, (payload) => this.dropBuckets(payload as BucketEvent));
    events.onGap(() => this.clear());
  }

  /** Finds a file and its bucket, at once where they are cached; undefined where the bucket has no such file. */
  find({ bucketId, fileId }: Ids): CachedRows | undefined | Promise<CachedRows | undefined> {
    const file = this.files.get(fileId);
    const load = { bucketId, fileId, isCurrent: true };
    return this.cached(file, bucketId) ?? this.read(load, file, () => this.load.file(fileId));
  }

  /** Finds the file at a path of a bucket, at once where it is cached; undefined where there is none. */
  findAt(bucketId: string, path: string): CachedRows | undefined | Promise<CachedRows | undefined> {
    const file = this.files.at(bucketId, path);
    const load = { bucketId, fileId: null, isCurrent: true };
    return (
      this.cached(file, bucketId) ?? this.read(load, file, () => this.load.fileAt(bucketId, path))
    );
  }

  /** Finds a bucket; undefined where there is none. */
  async findBucket(bucketId: string): Promise<Bucket | undefined> {
    return this.buckets.get(bucketId)?.row ?? this.load.bucket(bucketId);
  }

  private cached(file: CachedFile | undefined, bucketId: string): CachedRows | undefined {
    const bucket = file && this.buckets.get(bucketId);
    return bucket && pair(file.row, bucket.row, () => file.isCurrent && bucket.isCurrent);
  }

  private async read(
    current: Load,
    cached: CachedFile | undefined,
    loadFile: () => Promise<DeliveredFile | undefined>,
  ): Promise<CachedRows | undefined> {
    const { files, buckets, loads, load } = this;
    const { bucketId } = current;
    loads.add(current);
    try {
      const [file, bucket] = await Promise.all([
        cached?.row ?? loadFile(),
        buckets.get(bucketId)?.row ?? load.bucket(bucketId),
      ]);
      // A row that was read before a change must not be cached after it: it would outlive the change.
      if (current.isCurrent && bucket) {
        if (file && file.status !== 'processing') files.add(file, bucket.user_id);
        if (!buckets.has(bucket.id)) buckets.set(bucket.id, { row: bucket, isCurrent: true });
      }
      return pair(file, bucket, isNeverCurrent);
    } finally {
      loads.delete(current);
    }
  }

  /** The files stay, because no file is delivered without its bucket. */
  private dropBuckets(event: BucketEvent): void {
    if ('bucketId' in event) {
      this.buckets.delete(event.bucketId);
      this.endLoads(({ bucketId }) => bucketId === event.bucketId);
      return;
    }
    for (const { row } of this.buckets.values()) {
      if (row.user_id === event.userId) this.buckets.delete(row.id);
    }
    // The owner of a bucket is not known before it is loaded.
    this.endLoads(() => true);
  }

  private clear(): void {
    this.files.clear();
    this.buckets.clear();
    this.endLoads(() => true);
  }

  /** Keeps rows that are being loaded from being cached. */
  private endLoads(isAbout: (load: Load) => boolean): void {
    for (const load of this.loads) if (isAbout(load)) load.isCurrent = false;
  }
}

/** Whatever leaves the cache is no longer current, as no event would find it. */
const createBucketCache = () =>
  new LRUCache<string, CachedBucket>({
    ...growingTo(MAX_BUCKETS),
    ttl: BUCKET_TTL_MS,
    ttlResolution: TTL_RESOLUTION_MS,
    dispose: (cached) => {
      cached.isCurrent = false;
    },
  });

/** Rows that have just been read may have changed since, unheard. */
const isNeverCurrent = () => false;

const pair = (
  file: DeliveredFile | undefined,
  bucket: Bucket | undefined,
  isCurrent: () => boolean,
): CachedRows | undefined =>
  file && bucket && file.bucket_id === bucket.id ? { file, bucket, isCurrent } : undefined;
