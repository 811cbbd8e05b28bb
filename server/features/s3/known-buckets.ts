import type { Events } from '../../platform/events/port.ts';
import { KeptRows } from '../../platform/kept-rows.ts';
import { BUCKET_EVENTS, type Bucket, type BucketEvent, type Buckets } from '../buckets/service.ts';

const MAX_BUCKETS = 1000;

/**
 * The buckets of requests, kept until they change. What is counted in their rows may be older, so that one whose bytes
 * are limited is read each time.
 */
export class KnownBuckets {
  private readonly rows = new KeptRows<Bucket>(MAX_BUCKETS);

  constructor(
    private readonly buckets: Pick<Buckets, 'byId' | 'byS3Name'>,
    events: Events,
  ) {
    events.subscribe(BUCKET_EVENTS, (payload) => {
      const event = payload as BucketEvent;
      this.rows.drop((row) =>
        'bucketId' in event ? row.id === event.bucketId : row.user_id === event.userId,
      );
    });
    events.onGap(() => this.rows.clear());
  }

  /** Returns a bucket by id, whoever owns it; undefined where there is none. */
  byId(id: string): Promise<Bucket | undefined> {
    return this.rows.find(id, () => this.buckets.byId(id), isKept);
  }

  /** Returns the bucket of a user that S3 clients know by a name; undefined where there is none. */
  byS3Name(userId: string, name: string): Promise<Bucket | undefined> {
    // No id has a slash.
    const load = () => this.buckets.byS3Name(userId, name);
    return this.rows.find(`${userId}/${name}`, load, isKept);
  }
}

const isKept = ({ storage_limit }: Bucket): boolean => storage_limit === null;
