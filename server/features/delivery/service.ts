import { LRUCache } from 'lru-cache';
import { SECOND } from '../../contract/limits.ts';
import { EARLY_PLAYLIST, MASTER_PLAYLIST } from '../../contract/media.ts';
import { AppError, notFound, unauthorized } from '../../errors.ts';
import type { Events } from '../../platform/events/port.ts';
import type { ObjectStore } from '../../platform/objects/port.ts';
import { BUCKET_EVENTS, type Bucket, type Buckets } from '../buckets/service.ts';
import {
  type DeliveredFile,
  FILE_EVENTS,
  type FileEventEnvelope,
  type Files,
} from '../files/service.ts';
import type { Tokens } from '../tokens/service.ts';
import { objectHeaders } from './headers.ts';
import { type CachedObject, createObjectCache } from './object-cache.ts';
import type { Target } from './target.ts';

export type Delivery = ReturnType<typeof createDelivery>;
export type Delivered = CachedObject & {
  isPrivate: boolean;
  /** Something better comes under this name soon. */
  isEarly: boolean;
};

const FILES = 10_000;
/** Elsewhere a change is seen this late at the latest; in this process at once. */
const CACHE_LIFE = 5 * SECOND;

export function createDelivery(services: {
  buckets: Buckets;
  files: Files;
  tokens: Tokens;
  objects: ObjectStore;
  events: Events;
}) {
  const { buckets, files, tokens, events } = services;
  const objects = createObjectCache(services.objects, objectHeaders);
  const known = new LRUCache<string, { file: DeliveredFile; bucket: Bucket }>({
    max: FILES,
    ttl: CACHE_LIFE,
    ttlResolution: SECOND / 10,
  });
  events.subscribe(FILE_EVENTS, (payload) => {
    const { event } = payload as FileEventEnvelope;
    if (event.type !== 'file.progress') known.delete(event.fileId);
  });
  // Rare, and one bucket may have many files here.
  events.subscribe(BUCKET_EVENTS, () => known.clear());
  events.onGap(() => known.clear());

  const find = async ({ bucketId, fileId }: Pick<Target, 'bucketId' | 'fileId'>) => {
    const cached = known.get(fileId);
    if (cached?.bucket.id === bucketId) return cached;
    const [bucket, file] = await Promise.all([buckets.byId(bucketId), files.forDelivery(fileId)]);
    if (!bucket || file?.bucket_id !== bucketId) throw notFound('File');
    const found = { file, bucket };
    if (file.status !== 'processing') known.set(fileId, found);
    return found;
  };

  /** Throws not-found, unauthorized, bad-token. */
  const admit = async (target: Omit<Target, 'name'>): Promise<DeliveredFile> => {
    const { file, bucket } = await find(target);
    if (!isDelivered(bucket)) throw notFound('File');
    if (file.access === 'private') await checkToken(target.token, bucket, file);
    return file;
  };

  return {
    /**
     * The file that a page may show, by the rules for its objects. Throws not-found, unauthorized,
     * bad-token.
     */
    admit,

    /** A public object at hand, without waiting for anything; undefined makes `open` necessary. */
    atHand(target: Target): CachedObject | undefined {
      const cached = known.get(target.fileId);
      if (cached?.bucket.id !== target.bucketId || !isDelivered(cached.bucket)) return undefined;
      const { access, prefix } = cached.file;
      return access === 'public' && prefix !== null ? objects.get(prefix + target.name) : undefined;
    },

    /**
     * What is delivered under a name of a file. A private file needs a read token of its bucket.
     * Throws not-found, unauthorized, bad-token.
     */
    async open(target: Target): Promise<Delivered> {
      const file = await admit(target);
      const isPrivate = file.access === 'private';
      const isEarly = file.status === 'processing' && target.name === MASTER_PLAYLIST;
      const name = isEarly ? EARLY_PLAYLIST : target.name;
      const object = file.prefix === null ? null : await objects.open(file.prefix + name);
      if (!object) throw notFound('File');
      return { ...object, isPrivate, isEarly };
    },
  };

  async function checkToken(token: string | null, bucket: Bucket, file: DeliveredFile) {
    if (!token) throw unauthorized('This file is private: its URL needs a token.');
    const grant = await tokens.grant(token, 'read', bucket);
    const good = grant && (grant.fileId === null || grant.fileId === file.id);
    if (!good) throw new AppError(403, 'bad-token', 'The token does not open this file.');
  }
}

const isDelivered = (bucket: Bucket) => bucket.status !== 'deleting' && bucket.status !== 'banned';
