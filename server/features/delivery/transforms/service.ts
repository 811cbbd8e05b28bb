import { notFound } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/port.ts';
import type { Events } from '../../../platform/events/port.ts';
import { BUCKET_EVENTS, type BucketEvent } from '../../buckets/service.ts';
import type { Files } from '../../files/service.ts';
import type { ObjectCache } from '../caches/object-cache.ts';
import type { CachedObject } from '../variants.ts';
import { Eviction } from './eviction.ts';
import { type Deriver, TransformGenerator, type TransformJob } from './generate.ts';
import * as store from './store.ts';
import type { TransformRow } from './tables.ts';

/** An object that shows an image of a file: a generated one, or the image itself. */
export type ImageObject = {
  key: string;
  /** Its name below the prefix of the file, or below its own. */
  name: string;
  object: CachedObject;
};

/** Generates images in other sizes and formats when they are first requested, and keeps them. */
export class TransformService {
  private readonly eviction: Eviction;
  private readonly generator: TransformGenerator;

  constructor(
    private readonly deps: {
      database: Database;
      events: Events;
      clock: Clock;
      files: Files;
      media: Deriver;
      objects: ObjectCache;
      derivativesMaxBytes: number;
      onError: (error: unknown) => void;
    },
  ) {
    const eviction = new Eviction({ ...deps, maxBytes: deps.derivativesMaxBytes });
    this.eviction = eviction;
    this.generator = new TransformGenerator({ ...deps, eviction });
    deps.events.subscribe(BUCKET_EVENTS, (payload) => {
      const event = payload as BucketEvent;
      // The event of an account changes the status of its buckets, and no policy.
      if ('bucketId' in event) eviction.policyChanged(event.bucketId);
    });
    deps.events.onGap(() => eviction.policyChanged(null));
  }

  /**
   * Finds the object of an image or generates it. `signal` aborts when the client disconnects. Throws
   * not-found, too-many, unavailable, cannot-transform.
   */
  async find(job: TransformJob, signal: AbortSignal): Promise<ImageObject> {
    const row = await store.findTransform(this.deps.database.db, job.file.id, job.key);
    const stored = row && (await this.open(row));
    if (stored) return stored;
    if (row) await this.eviction.drop(row);
    const generated = await this.open(await this.generator.make(job, signal));
    if (!generated) throw notFound('File');
    return generated;
  }

  /** Counts the generated images of a bucket, and their bytes. */
  count(bucketId: string): Promise<{ images: number; bytes: number }> {
    return store.countTransforms(this.deps.database.db, bucketId);
  }

  /** Evicts generated images that exceed the limits. */
  round(): Promise<void> {
    return this.eviction.round();
  }

  /** Ends a running eviction, and starts no other. */
  stop(): Promise<void> {
    return this.eviction.stop();
  }

  /** Opens a generated image; undefined where its object is deleted. */
  private async open(row: TransformRow): Promise<ImageObject | undefined> {
    const { prefix, name } = row;
    const key = prefix + name;
    const object = await this.deps.objects.open(key);
    if (!object) return undefined;
    this.eviction.touch(row);
    return { key, name, object };
  }
}
