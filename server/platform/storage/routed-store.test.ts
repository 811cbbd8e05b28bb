import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeObjectStore } from './conformance.ts';
import { openDiskStore } from './disk.ts';
import { createRoutedStore } from './routed-store.ts';

const base = await mkdtemp(join(tmpdir(), 'wharf-routed-'));
afterAll(() => rm(base, { recursive: true, force: true }));
const diskAt = (name: string) => openDiskStore({ root: join(base, name) });
const stream = () => new Blob(['x']).stream();

describeObjectStore('several stores as one', async () => ({
  store: createRoutedStore(await diskAt('home'), { OC: await diskAt('oc') }),
  leftovers: async () => {
    const names = ['home/tmp', 'oc/tmp'].map((name) => readdir(join(base, name)));
    return (await Promise.all(names)).flat().length;
  },
  close: async () => {},
}));

describe('several stores as one', () => {
  test('each key lies in the store of its region, and is found there alone', async () => {
    const [home, oc, weur] = [await diskAt('a'), await diskAt('b'), await diskAt('c')];
    const store = createRoutedStore(home, { OC: oc, WEUR: weur });
    for (const key of ['f/b/1', 'OC/f/b/2', 'WEUR/f/b/3']) await store.put(key, stream());
    expect((await oc.open('OC/f/b/2'))?.size).toBe(1);
    expect(await home.open('OC/f/b/2')).toBeNull();
    const keys = (await Array.fromAsync(store.list(''))).map(({ key }) => key).sort();
    expect(keys).toEqual(['OC/f/b/2', 'WEUR/f/b/3', 'f/b/1']);
    await store.deletePrefix('OC/f/');
    expect(await oc.open('OC/f/b/2')).toBeNull();
    expect((await store.open('WEUR/f/b/3'))?.size).toBe(1);
  });

  test('regions that share one store are listed once', async () => {
    const shared = await diskAt('shared');
    const store = createRoutedStore(shared, { OC: shared, WEUR: shared });
    for (const key of ['f/1', 'OC/f/2', 'WEUR/f/3']) await store.put(key, stream());
    expect((await Array.fromAsync(store.list(''))).length).toBe(3);
  });

  test('objects are composed and copied from one region to another', async () => {
    const [home, oc] = [await diskAt('from'), await diskAt('to')];
    const store = createRoutedStore(home, { OC: oc });
    await store.put('f/1', stream());
    await store.put('OC/f/2', stream());
    const sources = ['f/1', 'OC/f/2', 'f/1'].map((key) => ({ key, size: 1 }));
    expect(await store.compose('OC/f/3', sources)).toEqual({ size: 3 });
    expect(await store.copy('OC/f/4', { key: 'f/1', size: 1 })).toEqual({ size: 1 });
    const inside = await Array.fromAsync(oc.list(''));
    expect(inside.map(({ key, size }) => [key, size]).sort()).toEqual([
      ['OC/f/2', 1],
      ['OC/f/3', 3],
      ['OC/f/4', 1],
    ]);
    const missing = store.copy('OC/f/5', { key: 'f/none', size: 1 });
    await expect(missing).rejects.toMatchObject({ code: 'not-found' });
    expect(await oc.head('OC/f/5')).toBeNull();
  });

  test('a region without a store is told by name, whatever is asked of it', async () => {
    const store = createRoutedStore(await diskAt('lone'), { OC: await diskAt('lone-oc') });
    const source = { key: 'APAC/f/1', size: 1 };
    for (const operation of [
      store.open('APAC/f/1'),
      store.head('APAC/f/1'),
      store.copy('f/1', source),
      store.compose('f/1', [source]),
      store.deleteMany(['f/2', 'APAC/f/1']),
      store.deletePrefix('APAC/f/'),
    ]) {
      await expect(operation).rejects.toThrow('REGIONS names no storage for APAC any more');
    }
  });
});
