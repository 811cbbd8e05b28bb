import { LRUCache } from 'lru-cache';
import { SECOND } from '../../../contract/limits.ts';
import type { Transform } from '../../../contract/transforms.ts';
import { AppError, notFound, unavailable } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/port.ts';
import type { DerivativeRow } from '../../../platform/db/tables.ts';
import type { Events } from '../../../platform/events/port.ts';
import { BUCKET_EVENTS } from '../../buckets/service.ts';
import type { DeliveredFile, Files } from '../../files/service.ts';
import type { ObjectCache } from '../caches/object-cache.ts';
import type { Subject } from '../headers/headers.ts';
import type { Deliverable } from '../variants.ts';
import { keyOf } from './canonical.ts';
import { createEviction } from './eviction.ts';
import { createTransformGenerator, type Deriver } from './generate.ts';
import { type Asked, readParameters } from './parameters.ts';
import { isImageOf, type Published, wantedOf } from './source.ts';
import * as store from './store.ts';
import { createVaryRegistry } from './vary.ts';

/** Which image, and what a URL's query and a client's Accept say of it. */
export type Wish = { name: string; query: string; headers: Headers };

const QUERIES = 2000;
const QUERY_MAX = 200;
const ACCEPT_MAX = 400;
const READY = 10_000;
const BY_ACCEPT = Symbol('by accept');
/** Elsewhere a derivative may be removed; it stays on disk for longer than this. */
const READY_LIFE = 5 * SECOND;

/** Images in other sizes and formats: found, or made when they are asked for the first time. */
export function createDerivatives(services: {
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
  const { database, objects, cdnVariesAccept } = services;
  const upkeep = createEviction({ ...services, maxBytes: services.derivativesMaxBytes });
  const making = createTransformGenerator({ ...services, upkeep });
  services.events.subscribe(BUCKET_EVENTS, upkeep.policyChanged);
  services.events.onGap(upkeep.policyChanged);
  const varied = createVaryRegistry(cdnVariesAccept);
  /** What queries ask for; a mistake in one is an answer too. */
  const read = new LRUCache<string, { asked: Asked | null } | AppError>({ max: QUERIES });
  /**
   * Object keys by file, name and query; where it depends on Accept, that is said there, and the
   * key is at the same with the Accept.
   */
  const ready = new LRUCache<string, string | typeof BY_ACCEPT>({
    max: READY,
    ttl: READY_LIFE,
    ttlResolution: SECOND / 10,
  });

  function parse(query: string): { asked: Asked | null } | AppError {
    const known = read.get(query);
    if (known) return known;
    const parsed = tryToRead(query);
    if (query.length <= QUERY_MAX) read.set(query, parsed);
    return parsed;
  }

  const answered = (deliverable: Deliverable, { format }: Asked): Deliverable =>
    format === 'auto' ? varied(deliverable) : deliverable;

  const acceptOf = ({ headers }: Wish): string | null =>
    headers.get('accept')?.slice(0, ACCEPT_MAX) ?? null;

  function remember(file: { id: string }, wish: Wish, { format }: Asked, key: string): void {
    const place = placeOf(file, wish);
    if (format !== 'auto') return void ready.set(place, key);
    ready.set(place, BY_ACCEPT);
    ready.set(`${place} ${acceptOf(wish)}`, key);
  }

  /** Opens a derivative and remembers where it is. */
  async function opened(
    row: DerivativeRow,
    file: Published,
    wish: Wish,
    asked: Asked,
  ): Promise<Deliverable | undefined> {
    const key = row.prefix + row.name;
    const deliverable = await objects.open(key, subjectOf(file, row.name));
    if (!deliverable) return undefined;
    remember(file, wish, asked, key);
    upkeep.touch(row);
    return answered(deliverable, asked);
  }

  async function derivative(
    file: Published,
    wish: Wish,
    asked: Asked,
    transform: Transform,
    signal: AbortSignal,
  ): Promise<Deliverable> {
    const key = keyOf(transform);
    const row = await store.findDerivative(database.db, file.id, key);
    const found = row && (await opened(row, file, wish, asked));
    if (found) return found;
    if (row) await upkeep.drop({ ...row, bucket_id: file.bucket_id });
    const made = await opened(
      await making.make(file, wish.name, transform, key, signal),
      file,
      wish,
      asked,
    );
    if (!made) throw notFound('File');
    return made;
  }

  return {
    /**
     * What is asked of an image of this file. Null where the name is none of its images, or nothing
     * is asked: the object of that name is the answer then. Throws bad-transform.
     */
    asked(file: DeliveredFile, { name, query }: Pick<Wish, 'name' | 'query'>): Asked | null {
      if (query === '' || !isImageOf(file, name)) return null;
      const parsed = parse(query);
      if (parsed instanceof AppError) throw parsed;
      return parsed.asked;
    },

    /** What was answered to the same wish lately, without waiting; undefined makes `open` necessary. */
    atHand(file: DeliveredFile, prefix: string, wish: Wish): Deliverable | undefined {
      const place = placeOf(file, wish);
      const found = ready.get(place);
      if (typeof found === 'string') return objects.get(found);
      if (found === BY_ACCEPT) {
        const key = ready.get(`${place} ${acceptOf(wish)}`);
        const deliverable = typeof key === 'string' ? objects.get(key) : undefined;
        return deliverable && varied(deliverable);
      }
      const parsed = read.get(wish.query);
      const asksNothing = parsed && !(parsed instanceof AppError) && parsed.asked === null;
      return asksNothing ? objects.get(prefix + wish.name) : undefined;
    },

    /**
     * Finds what is asked for, or has it made; `signal` is that of who waits for it. Throws
     * not-found, too-many, unavailable, cannot-transform.
     */
    async open(
      file: DeliveredFile,
      wish: Wish,
      asked: Asked,
      signal: AbortSignal,
    ): Promise<Deliverable> {
      const { prefix } = file;
      if (prefix === null) throw notFound('File');
      if (file.status !== 'success') throw unavailable('The file is being processed.', 5 * SECOND);
      const published = { ...file, prefix };
      const transform = wantedOf(published, wish.name, acceptOf(wish), asked);
      if (transform) return derivative(published, wish, asked, transform, signal);
      const key = prefix + wish.name;
      const whole = await objects.open(key, { file, name: wish.name });
      if (!whole) throw notFound('File');
      remember(published, wish, asked, key);
      return answered(whole, asked);
    },

    /** How many a bucket has, and their bytes. */
    madeIn: (bucketId: string) => store.madeIn(database.db, bucketId),

    round: upkeep.round,
    settle: upkeep.settle,
  };
}

const placeOf = (file: { id: string }, { name, query }: Wish): string =>
  `${file.id}/${name}?${query}`;

function tryToRead(query: string): { asked: Asked | null } | AppError {
  try {
    return { asked: readParameters(query) };
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** An image in another form is downloaded by the user's name, a poster by that of its video. */
const subjectOf = (file: Published, name: string): Subject => ({
  file: file.file_type === 'image' ? { ...file, entry: name } : file,
  name,
});
