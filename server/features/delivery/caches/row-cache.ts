import { LRUCache } from 'lru-cache';
import { MINUTE, SECOND } from '../../../contract/limits.ts';
import type { Events } from '../../../platform/events/port.ts';
import { growingTo } from '../../../platform/growing-cache.ts';
import { BUCKET_EVENTS, type Bucket, type BucketEvent } from '../../buckets/service.ts';
import { type DeliveredFile, FILE_EVENTS, type FileEventEnvelope } from '../../files/service.ts';

export type Rows = { file: DeliveredFile; bucket: Bucket };

const MAX_FILES = 10_000;
const MAX_BUCKETS = 1_000;
/**
 * Every change is published at once to all processes. If the event of a bucket is lost, because a process dies after
 * the commit, its new key or status takes effect after this time. The cache by URL adds up to a second and the clock
 * of the cache a tenth of a second, so it takes at most 5 s.
 */
const BUCKET_TTL_MS = 3.9 * SECOND;
/** The deletion of a file is published by its transaction, and processes that can't hear it know after 5 s. */
const FILE_TTL_MS = MINUTE;
const TTL_RESOLUTION_MS = SECOND / 10;

type Ids = { bucketId: string; fileId: string };
type Loaders = {
  file(id: string): Promise<DeliveredFile | undefined>;
  bucket(id: string): Promise<Bucket | undefined>;
};

/** A cache of files and their buckets, which `load` loads. An entry is dropped when it changes. */
export class RowCache {
  private readonly files = new LRUCache<string, DeliveredFile>({
    ...growingTo(MAX_FILES),
    ttl: FILE_TTL_MS,
    ttlResolution: TTL_RESOLUTION_MS,
  });
  private readonly buckets = new LRUCache<string, Bucket>({
    max: MAX_BUCKETS,
    ttl: BUCKET_TTL_MS,
    ttlResolution: TTL_RESOLUTION_MS,
  });
  private changeCount = 0;

  constructor(
    events: Events,
    private readonly load: Loaders,
  ) {
    events.subscribe(FILE_EVENTS, (payload) => {
      const { event } = payload as FileEventEnvelope;
      if (event.type === 'file.progress') return;
      this.changeCount += 1;
      this.files.delete(event.fileId);
    });
    events.subscribe(BUCKET_EVENTS, (payload) => this.forgetBuckets(payload as BucketEvent));
    events.onGap(() => this.clear());
  }

  /** Returns a number that rises with every change that may affect a row. */
  changes(): number {
    return this.changeCount;
  }

  /** Returns a cached file and its bucket; undefined where they have to be loaded. */
  get({ bucketId, fileId }: Ids): Rows | undefined {
    return pair(this.files.get(fileId), this.buckets.get(bucketId));
  }

  /** Loads a file and its bucket; undefined where the bucket has no such file. */
  async find({ bucketId, fileId }: Ids): Promise<Rows | undefined> {
    const { files, buckets, load } = this;
    const before = this.changeCount;
    const [file, bucket] = await Promise.all([
      files.get(fileId) ?? load.file(fileId),
      buckets.get(bucketId) ?? load.bucket(bucketId),
    ]);
    // A row that was read before a change must not be cached after it: it would outlive the change.
    if (this.changeCount === before) {
      if (file && file.status !== 'processing' && !files.has(file.id)) files.set(file.id, file);
      if (bucket && !buckets.has(bucket.id)) buckets.set(bucket.id, bucket);
    }
    return pair(file, bucket);
  }

  /** The files stay, because no file is delivered without its bucket. */
  private forgetBuckets(event: BucketEvent): void {
    this.changeCount += 1;
    if ('bucketId' in event) this.buckets.delete(event.bucketId);
    else {
      for (const { id, user_id } of this.buckets.values()) {
        if (user_id === event.userId) this.buckets.delete(id);
      }
    }
  }

  private clear(): void {
    this.changeCount += 1;
    this.files.clear();
    this.buckets.clear();
  }
}

const pair = (file: DeliveredFile | undefined, bucket: Bucket | undefined): Rows | undefined =>
  file && bucket && file.bucket_id === bucket.id ? { file, bucket } : undefined;
