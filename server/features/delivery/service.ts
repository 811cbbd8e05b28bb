import { LRUCache } from 'lru-cache';
import { SECOND } from '../../contract/limits.ts';
import { AppError, notFound, unauthorized } from '../../errors.ts';
import type { Events } from '../../platform/events/port.ts';
import { isId } from '../../platform/ids.ts';
import type { ObjectStore, StoredObject } from '../../platform/objects/port.ts';
import type { Bucket, Buckets } from '../buckets/service.ts';
import {
  type DeliveredFile,
  FILE_EVENTS,
  type FileEventEnvelope,
  type Files,
} from '../files/service.ts';
import type { Tokens } from '../tokens/service.ts';
import { contentTypeOf } from './content-types.ts';

export type Delivery = ReturnType<typeof createDelivery>;

export type Delivered = {
  object: StoredObject;
  contentType: string;
  isPrivate: boolean;
  /** Objects never change, so the key is as good as a hash of the content. */
  etag: string;
};

/** Names that the media process makes: one folder deep at most. */
const NAME = /^([a-z0-9][a-z0-9_-]*\/)?[a-z0-9][a-z0-9_-]*\.[a-z0-9]+$/;
const CACHED = 10_000;
/** Elsewhere a change is seen this late at the latest; in this process at once. */
const CACHE_LIFE = 5 * SECOND;

export function createDelivery(services: {
  buckets: Buckets;
  files: Files;
  tokens: Tokens;
  objects: ObjectStore;
  events: Events;
}) {
  const { buckets, files, tokens, objects, events } = services;
  const known = new LRUCache<string, { file: DeliveredFile; bucket: Bucket }>({
    max: CACHED,
    ttl: CACHE_LIFE,
  });
  events.subscribe(FILE_EVENTS, (payload) => {
    const { event } = payload as FileEventEnvelope;
    if (event.type !== 'file.progress') known.delete(event.fileId);
  });
  events.onGap(() => known.clear());

  const find = async (bucketId: string, fileId: string) => {
    if (!isId(bucketId) || !isId(fileId)) throw notFound('File');
    const cached = known.get(fileId);
    if (cached?.bucket.id === bucketId) return cached;
    const [bucket, file] = await Promise.all([buckets.byId(bucketId), files.forDelivery(fileId)]);
    if (!bucket || file?.bucket_id !== bucketId) throw notFound('File');
    const found = { file, bucket };
    if (file.status !== 'processing') known.set(fileId, found);
    return found;
  };

  return {
    /**
     * What is delivered under a name of a file. A private file needs a read token of its bucket.
     * Throws not-found, unauthorized, forbidden.
     */
    async open(request: {
      bucketId: string;
      fileId: string;
      name: string;
      token: string | null;
    }): Promise<Delivered> {
      const { file, bucket } = await find(request.bucketId, request.fileId);
      if (bucket.status === 'deleting' || bucket.status === 'banned') throw notFound('File');
      const isPrivate = file.access === 'private';
      if (isPrivate) await checkToken(request.token, bucket, file);
      const contentType = NAME.test(request.name) ? contentTypeOf(request.name) : null;
      if (file.prefix === null || contentType === null) throw notFound('File');
      const key = `${file.prefix}${request.name}`;
      const object = await objects.open(key);
      if (!object) throw notFound('File');
      return { object, contentType, isPrivate, etag: etagOf(key) };
    },
  };

  async function checkToken(token: string | null, bucket: Bucket, file: DeliveredFile) {
    if (!token) throw unauthorized('This file is private: its URL needs a token.');
    const grant = await tokens.grant(token, 'read', bucket);
    const good = grant && (grant.fileId === null || grant.fileId === file.id);
    if (!good) throw new AppError(403, 'bad-token', 'The token does not open this file.');
  }
}

const etagOf = (key: string) => `"${Bun.hash(key).toString(36)}"`;
