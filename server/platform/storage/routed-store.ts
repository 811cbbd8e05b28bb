import type { Region } from '../../contract/regions.ts';
import { regionOf, rootOf } from '../region-routing.ts';
import type { ObjectStore } from './port.ts';

type Regions<Store> = Partial<Record<Region, Store>>;

/**
 * Combines several stores into one: a key that begins with a region's code is in that region's store, any
 * other key in `home`. Two stores can share a bucket. Methods throw for a key whose region has no store any
 * more.
 */
export function createRoutedStore(home: ObjectStore, regions: Regions<ObjectStore>): ObjectStore {
  const all = [home, ...Object.values(regions)];
  const storeOf = finder(home, regions);
  return {
    ...createRoutedReader(home, regions),
    put: async (key, body, options) => storeOf(key).put(key, body, options),
    putFile: async (key, path) => storeOf(key).putFile(key, path),
    delete: async (key) => storeOf(key).delete(key),
    deletePrefix: async (prefix, isOver) => storeOf(prefix).deletePrefix(prefix, isOver),
    requireSpace: async (prefix, bytes) => storeOf(prefix).requireSpace(prefix, bytes),
    async tidy(now) {
      for (const store of all) await store.tidy(now);
    },
    async check() {
      await Promise.all(all.map((store) => store.check()));
    },
  };
}

type Reading = Pick<ObjectStore, 'open' | 'list'>;

/** Does the same for a caller that only reads. */
export function createRoutedReader(home: Reading, regions: Regions<Reading>): Reading {
  const storeOf = finder(home, regions);
  return {
    open: async (key) => storeOf(key).open(key),
    async *list(prefix) {
      if (prefix !== '') {
        yield* storeOf(prefix).list(prefix);
        return;
      }
      for await (const one of home.list('')) if (rootOf(one.key) === '') yield one;
      for (const [region, store] of Object.entries(regions)) yield* store.list(`${region}/`);
    },
  };
}

function finder<Store>(home: Store, regions: Regions<Store>): (key: string) => Store {
  return (key) => {
    const region = regionOf(key);
    const store = region === null ? home : regions[region];
    if (store) return store;
    throw new Error(`REGIONS names no storage for ${region} any more, where ${key} is.`);
  };
}
