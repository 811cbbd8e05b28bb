import { SECOND } from '../../../contract/limits.ts';
import { AppError, notFound, unavailable } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/port.ts';
import type { Events } from '../../../platform/events/port.ts';
import { BUCKET_EVENTS, type BucketEvent } from '../../buckets/service.ts';
import type { DeliveredFile, Files } from '../../files/service.ts';
import type { ObjectCache } from '../caches/object-cache.ts';
import type { Subject } from '../headers.ts';
import type { Deliverable } from '../variants.ts';
import { createVaryRegistry } from './accept.ts';
import { Eviction } from './eviction.ts';
import { type Deriver, TransformGenerator, type TransformJob } from './generate.ts';
import type { TransformParams } from './parameters.ts';
import { acceptOf, ObjectKeyCache, QueryCache, type TransformRequest } from './request-cache.ts';
import {
  imageOf,
  isImageOf,
  keyOf,
  type PublishedFile,
  resolveTransform,
} from './resolve-transform.ts';
import * as store from './store.ts';
import type { TransformRow } from './tables.ts';

/**
 * The previews of the dashboard, for screens of twice the density. AVIF shows animations by their first frame,
 * and is the smallest.
 */
const PREVIEW_QUERIES = {
  /** In the list of files: 44 CSS pixels. Small images are not enlarged. */
  thumbnail: 'width=96&height=96&fit=crop&format=avif',
  /** In the details of a file: 420 by 240 CSS pixels. */
  preview: 'width=840&height=480&format=avif',
} as const;
export type PreviewSize = keyof typeof PREVIEW_QUERIES;
/** A small drawing is sharp in any size, so it is drawn as large as it is shown. */
const SVG_PREVIEW_QUERY = `${PREVIEW_QUERIES.preview}&fit=contain`;

/** Serves images in other sizes and formats, which are generated when they are first requested. */
export class TransformService {
  private readonly database: Database;
  private readonly objects: ObjectCache;
  private readonly eviction: Eviction;
  private readonly generator: TransformGenerator;
  private readonly varied: (deliverable: Deliverable) => Deliverable;
  private readonly queries = new QueryCache();
  private readonly keys = new ObjectKeyCache();

  constructor(deps: {
    database: Database;
    events: Events;
    clock: Clock;
    files: Files;
    media: Deriver;
    objects: ObjectCache;
    derivativesMaxBytes: number;
    cdnVariesAccept: boolean;
    onError: (error: unknown) => void;
  }) {
    this.database = deps.database;
    this.objects = deps.objects;
    const eviction = new Eviction({ ...deps, maxBytes: deps.derivativesMaxBytes });
    this.eviction = eviction;
    this.generator = new TransformGenerator({ ...deps, eviction });
    deps.events.subscribe(BUCKET_EVENTS, (payload) => {
      const event = payload as BucketEvent;
      // The event of an account changes the status of its buckets, and no policy.
      if ('bucketId' in event) eviction.policyChanged(event.bucketId);
    });
    deps.events.onGap(() => eviction.policyChanged(null));
    this.varied = createVaryRegistry(deps.cdnVariesAccept);
  }

  /**
   * Returns the requested transform of a file's image. Null where the name is not that of an image,
   * or the query has none of our parameters; the response is then the object itself. Throws
   * bad-transform.
   */
  parse(
    file: DeliveredFile,
    { name, query }: Pick<TransformRequest, 'name' | 'query'>,
  ): TransformParams | null {
    if (query === '' || !isImageOf(file, name)) return null;
    const parsed = this.queries.parse(query);
    if (parsed instanceof AppError) throw parsed;
    return parsed.params;
  }

  /**
   * Returns the cached response to the same request in the last seconds; undefined where the object
   * has to be opened.
   */
  getCached(
    file: DeliveredFile,
    prefix: string,
    request: TransformRequest,
  ): Deliverable | undefined {
    const cached = this.keys.get(file.id, request);
    if (cached) {
      const deliverable = this.objects.get(cached.key);
      return deliverable && cached.isByAccept ? this.varied(deliverable) : deliverable;
    }
    return this.queries.hasNoParameters(request.query)
      ? this.objects.get(prefix + request.name)
      : undefined;
  }

  /**
   * Finds the image or generates it. `signal` aborts when the client disconnects. Throws not-found,
   * too-many, unavailable, cannot-transform.
   */
  async open(
    file: DeliveredFile,
    request: TransformRequest,
    params: TransformParams,
    signal: AbortSignal,
  ): Promise<Deliverable> {
    const { prefix } = file;
    if (prefix === null) throw notFound('File');
    if (file.status !== 'success') throw unavailable('The file is being processed.', 5 * SECOND);
    const published = { ...file, prefix };
    const { name } = request;
    const transform = resolveTransform(published, name, acceptOf(request), params);
    if (transform) {
      const job = { file: published, name, transform, key: keyOf(transform) };
      return this.openTransform(job, request, params, signal);
    }
    const key = prefix + name;
    const original = await this.objects.open(key, { file, name });
    if (!original) throw notFound('File');
    this.keys.set(file.id, request, params.format, key);
    return this.withVary(original, params);
  }

  /** Opens a preview of a file; null where the file has none yet or it can't be generated now. */
  async openPreview(
    file: DeliveredFile,
    size: PreviewSize,
    signal: AbortSignal,
  ): Promise<Deliverable | null> {
    const name = imageOf(file);
    if (name === null || file.status !== 'success') return null;
    const isDrawing = size === 'preview' && name.endsWith('.svg');
    const query = isDrawing ? SVG_PREVIEW_QUERY : PREVIEW_QUERIES[size];
    const { params } = this.queries.parse(query) as { params: TransformParams };
    try {
      return await this.open(file, { name, query, headers: new Headers() }, params, signal);
    } catch (error) {
      if (error instanceof AppError) return null;
      throw error;
    }
  }

  /** Counts the generated images of a bucket, and their bytes. */
  countTransforms(bucketId: string): Promise<{ images: number; bytes: number }> {
    return store.countTransforms(this.database.db, bucketId);
  }

  /** Evicts generated images that exceed the limits. */
  round(): Promise<void> {
    return this.eviction.round();
  }

  /** Ends a running eviction, and starts no other. */
  stop(): Promise<void> {
    return this.eviction.stop();
  }

  private async openTransform(
    job: TransformJob,
    request: TransformRequest,
    params: TransformParams,
    signal: AbortSignal,
  ): Promise<Deliverable> {
    const { file } = job;
    const row = await store.findTransform(this.database.db, file.id, job.key);
    const cached = row && (await this.openRow(row, file, request, params));
    if (cached) return cached;
    if (row) await this.eviction.drop(row);
    const newRow = await this.generator.make(job, signal);
    const generated = await this.openRow(newRow, file, request, params);
    if (!generated) throw notFound('File');
    return generated;
  }

  /** Opens a generated image and caches its key; undefined where its object is deleted. */
  private async openRow(
    row: TransformRow,
    file: PublishedFile,
    request: TransformRequest,
    params: TransformParams,
  ): Promise<Deliverable | undefined> {
    const key = row.prefix + row.name;
    const deliverable = await this.objects.open(key, subjectOf(file, row.name));
    if (!deliverable) return undefined;
    this.keys.set(file.id, request, params.format, key);
    this.eviction.touch(row);
    return this.withVary(deliverable, params);
  }

  private withVary(deliverable: Deliverable, { format }: TransformParams): Deliverable {
    return format === 'auto' ? this.varied(deliverable) : deliverable;
  }
}

/**
 * A transformed image is downloaded with the upload's name, and a poster with the name of its
 * video.
 */
const subjectOf = (file: PublishedFile, name: string): Subject => ({
  file: file.file_type === 'image' ? { ...file, entry: name } : file,
  name,
});
