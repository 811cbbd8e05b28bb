import type { Region } from '../contract/regions.ts';
import type { ObjectStore } from './objects/port.ts';

/** Where buckets of a region are: what they hold, and the address that delivers it. */
export type Place = {
  objects: ObjectStore;
  /** Without a slash at the end. */
  cdnUrl: string;
};

/**
 * The one place that knows where a bucket's region is; null is the server's default. All regions
 * are here so far: storage and edges of their own begin with another answer than this one.
 */
export type Places = (region: Region | null) => Place;

export const everythingAt =
  (place: Place): Places =>
  () =>
    place;
