import type { Region } from '../../contract/regions.ts';
import { regionOf, rootOf } from '../region-routing.ts';
import { concatenate } from './concatenate.ts';
import { checkKey } from './keys.ts';
import type { ObjectStore, StoredObject } from './port.ts';

type Regions<Store> = Partial<Record<Region, Store>>;

/**
 * Combines several stores into one: a key that begins with a region's code is in that region's store, any
 * other key in `home`. Two stores can share a bucket. Methods throw for a key whose region has no store any
 * more.
 */
export function createRoutedStore(home: ObjectStore, regions: Regions<ObjectStore>): ObjectStore {
  const all = [home, ...Object.values(regions)];
  const storeOf = finder(home, regions);
  const reader = createRoutedReader(home, regions);
  return {
    ...reader,
    async compose(key, sources, options) {
      const store = storeOf(checkKey(key));
      if (sources.every((source) => storeOf(source.key) === store))
        return store.compose(key, sources, options);
      // One region's storage can't read that of another.
      return store.put(key, concatenate(reader, sources), options);
    },
    async copy(key, source, options) {
      const store = storeOf(checkKey(key));
      if (storeOf(source.key) === store) return store.copy(key, source, options);
      return store.put(key, concatenate(reader, [source]), options);
    },
    put: async (key, body, options) => storeOf(key).put(key, body, options),
    putFile: async (key, path) => storeOf(key).putFile(key, path),
    delete: async (key, options) => storeOf(key).delete(key, options),
    async deleteMany(keys) {
      const byStore = Map.groupBy(keys, storeOf);
      await Promise.all([...byStore].map(([store, own]) => store.deleteMany(own)));
    },
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

type Reading = Pick<ObjectStore, 'head' | 'open' | 'list'>;

/** Does the same for a caller that only reads. */
export function createRoutedReader(home: Reading, regions: Regions<Reading>): Reading {
  const storeOf = finder(home, regions);
  return {
    head: async (key) => storeOf(key).head(key),
    open: async (key: string, known?: { size: number }) =>
      storeOf(key).open(key, known) as Promise<StoredObject | null>,
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
