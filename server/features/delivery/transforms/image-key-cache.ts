import { LRUCache } from 'lru-cache';
import { SECOND } from '../../../contract/limits.ts';
import { growingTo } from '../../../platform/growing-cache.ts';
import type { TransformParams } from './parameters.ts';
import type { ImageObject } from './service.ts';

/** A request for an image of a file: its name, the query of the URL, and what the query means. */
export type ImageRequest = {
  fileId: string;
  name: string;
  query: string;
  params: TransformParams;
  /** The client's Accept header; null without one. */
  accept: string | null;
};

const MAX_OBJECT_KEYS = 10_000;
/**
 * Another process may delete a generated image without telling this one; its object stays on disk
 * for longer than this.
 */
const TTL_MS = 5 * SECOND;

/** A cache of the keys of the objects that recent requests were answered with. */
export class ImageKeyCache {
  private readonly keys = new LRUCache<string, Omit<ImageObject, 'object'>>({
    ...growingTo(MAX_OBJECT_KEYS),
    ttl: TTL_MS,
    ttlResolution: SECOND / 10,
  });

  /** Returns the key and the name of the object; undefined where they are unknown. */
  get(request: ImageRequest): Omit<ImageObject, 'object'> | undefined {
    return this.keys.get(entryOf(request));
  }

  set(request: ImageRequest, { key, name }: ImageObject): void {
    this.keys.set(entryOf(request), { key, name });
  }
}

/** Only where the query leaves the format to Accept does the object depend on it. */
const entryOf = ({ fileId, name, query, params, accept }: ImageRequest): string =>
  `${fileId}/${name}?${query}${params.format === 'auto' ? ` ${accept}` : ''}`;
