import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rounds } from '../../../tests/support/fixtures/torture.ts';
import { MIB } from '../../contract/limits.ts';
import type { ObjectStore } from './port.ts';
import { bytes, chunked, read, stream } from './testing/streams.ts';

export type StoreFixture = {
  store: ObjectStore;
  /** Returns how many unfinished things the store hides: temporary files, open multipart uploads. */
  leftovers(): Promise<number>;
  close(): Promise<void>;
};

/** Tests that every object store passes. `open` returns an empty store. */
export function describeObjectStore(name: string, open: () => Promise<StoreFixture>) {
  describe(name, () => {
    let fixture: StoreFixture;
    let store: ObjectStore;
    let folder: string;
    beforeAll(async () => {
      fixture = await open();
      store = fixture.store;
      folder = await mkdtemp(join(tmpdir(), 'wharf-objects-'));
    });
    afterAll(async () => {
      await fixture?.close();
      await rm(folder, { recursive: true, force: true });
    });

    const keysBelow = async (prefix: string) =>
      (await Array.fromAsync(store.list(prefix))).map((one) => one.key).sort();
    const expectNothing = async (key: string) => {
      expect(await store.open(key)).toBeNull();
      expect(await fixture.leftovers()).toBe(0);
    };

    test.each([0, 1, 65_537, 20 * MIB])('gives back the %d bytes it was given', async (length) => {
      const data = bytes(length);
      const before = Date.now();
      expect(await store.put(`round/${length}`, stream(data))).toEqual({ size: length });
      const object = await store.open(`round/${length}`);
      expect(object?.size).toBe(length);
      expect(Math.abs((object?.modifiedAt ?? 0) - before)).toBeLessThan(60_000);
      const got = await read(object);
      expect(got && Bun.hash(got)).toBe(Bun.hash(data));
      expect(await fixture.leftovers()).toBe(0);
    });

    test.each([
      [0, 1],
      [10, 20],
      [0, 1000],
      [999, 1000],
      [500, 500],
    ])('reads from %d up to %d', async (start, end) => {
      const data = bytes(1000);
      await store.put('ranges', stream(data));
      expect(await read(await store.open('ranges'), { start, end })).toEqual(
        data.slice(start, end),
      );
    });

    test('reads one opened object twice', async () => {
      await store.put('twice', stream(bytes(100)));
      const object = await store.open('twice');
      expect(await read(object)).toEqual(bytes(100));
      expect(await read(object)).toEqual(bytes(100));
    });

    test('has nothing where nothing was put', async () => {
      await store.put('there/file', stream(bytes(1)));
      for (const key of ['missing', 'there', 'there/missing', 'there/file/below']) {
        expect(await store.open(key)).toBeNull();
      }
    });

    test('stores what is exactly as large as it may be', async () => {
      const size = 3 * 64 * 1024;
      await store.put('exact', stream(bytes(size)), { maxBytes: size });
      expect((await store.open('exact'))?.size).toBe(size);
    });

    test('refuses what is too large, stops reading it and leaves nothing', async () => {
      const source = chunked((chunk) => {
        if (chunk > 1000) throw new Error('read on and on');
      });
      const put = store.put('large', source.body, { maxBytes: 3 * 64 * 1024 - 1 });
      expect(await put.catch((error) => error)).toMatchObject({ status: 413, code: 'too-large' });
      expect(source.wasCancelled()).toBe(true);
      await expectNothing('large');
    });

    test('rethrows what the stream failed with and leaves nothing', async () => {
      const source = chunked((chunk) => {
        if (chunk === 3) throw new Error('the client went away');
      });
      await expect(store.put('failed', source.body)).rejects.toThrow('the client went away');
      await expectNothing('failed');
    });

    test('stops a put by its signal, also while it waits for bytes, and leaves nothing', async () => {
      const aborter = new AbortController();
      const source = chunked(async (chunk) => {
        if (chunk < 2) return;
        setTimeout(() => aborter.abort(new Error('stopped')), 5);
        await new Promise(() => {});
      });
      const put = store.put('aborted', source.body, { signal: aborter.signal });
      expect(await put.catch((error) => error)).toMatchObject({ message: 'stopped' });
      expect(source.wasCancelled()).toBe(true);
      await expectNothing('aborted');
    });

    test('does not begin a put whose signal is already aborted', async () => {
      const put = store.put('never', stream(bytes(10)), {
        signal: AbortSignal.abort(new Error('before')),
      });
      expect(await put.catch((error) => error)).toMatchObject({ message: 'before' });
      await expectNothing('never');
    });

    test('shows nothing under a key before the put has resolved', async () => {
      const objects: unknown[] = [];
      const source = chunked(async (chunk) => {
        objects.push(await store.open('slow/object'), ...(await keysBelow('slow/')));
        if (chunk === 2) throw new Error('enough');
      });
      await store.put('slow/object', source.body).catch(() => {});
      expect(objects).toEqual([null, null, null]);
    });

    test('keeps the object that finished last when a key is put twice', async () => {
      await store.put('again', stream(bytes(500, 1)));
      await store.put('again', stream(bytes(300, 2)));
      expect(await read(await store.open('again'))).toEqual(bytes(300, 2));
    });

    test('keeps one whole object when a key is put many times at once', async () => {
      const all = [1, 2, 3, 4, 5, 6].map((seed) => bytes(200_000 + seed, seed));
      await Promise.all(all.map((data) => store.put('race', stream(data))));
      const got = await read(await store.open('race'));
      expect(all.some((data) => got && Bun.hash(data) === Bun.hash(got))).toBe(true);
      expect(await fixture.leftovers()).toBe(0);
    });

    test('stores many objects at once', async () => {
      const keys = Array.from({ length: 40 }, (_, index) => `many/${index % 7}/${index}`);
      await Promise.all(keys.map((key, index) => store.put(key, stream(bytes(index)))));
      expect(await keysBelow('many/')).toEqual(keys.sort());
    });

    test('moves a local file in', async () => {
      const path = join(folder, 'local');
      await Bun.write(path, bytes(70_000));
      expect(await store.putFile('moved/in', path)).toEqual({ size: 70_000 });
      expect(await read(await store.open('moved/in'))).toEqual(bytes(70_000));
      expect(await Bun.file(path).exists()).toBe(false);
      expect(await fixture.leftovers()).toBe(0);
    });

    /** Stores objects of these sizes, and returns them with all of their bytes. */
    async function sourcesOf(prefix: string, sizes: number[]) {
      const all = sizes.map((size, index) => bytes(size, index));
      const sources = sizes.map((size, index) => ({ key: `${prefix}${index}`, size }));
      for (const [index, { key }] of sources.entries())
        await store.put(key, stream(all[index] as Uint8Array));
      return { sources, data: Buffer.concat(all) };
    }

    test.each([
      ['one', [70_000]],
      ['small ones', [1, 0, 70_000, 3]],
      ['large ones and a small last one', [5 * MIB, 6 * MIB + 1, 10]],
      ['large ones with a small one between', [5 * MIB, 10, 6 * MIB]],
      ['empty ones', [0, 0]],
    ])('composes objects of %s in their order, which stay', async (name, sizes) => {
      const prefix = `compose/${name.replaceAll(' ', '-')}/`;
      const { sources, data } = await sourcesOf(prefix, sizes);
      expect(await store.compose(`${prefix}all`, sources)).toEqual({ size: data.length });
      const got = await read(await store.open(`${prefix}all`));
      expect(got && Bun.hash(got)).toBe(Bun.hash(data));
      expect(await keysBelow(prefix)).toHaveLength(sizes.length + 1);
      expect(await fixture.leftovers()).toBe(0);
    });

    test.each([0, 1, 6 * MIB])('copies an object of %d bytes, and both live on', async (size) => {
      const { sources, data } = await sourcesOf(`copy/${size}/`, [size]);
      const [source = { key: '', size: 0 }] = sources;
      expect(await store.copy(`copy/${size}/to`, source)).toEqual({ size });
      await store.delete(source.key);
      expect(await read(await store.open(`copy/${size}/to`))).toEqual(new Uint8Array(data));
      expect(await store.open(source.key)).toBeNull();
      expect(await fixture.leftovers()).toBe(0);
    });

    test.each([10, 6 * MIB])('stores nothing where a source of %d bytes is gone', async (size) => {
      const prefix = `absent/${size}/`;
      const { sources } = await sourcesOf(prefix, [6 * MIB]);
      const missing = { key: `${prefix}none`, size };
      for (const work of [
        () => store.compose(`${prefix}to`, [...sources, missing]),
        () => store.compose(`${prefix}to`, [missing, ...sources]),
        () => store.copy(`${prefix}to`, missing),
      ])
        expect(await work().catch((error) => error)).toMatchObject({ code: 'not-found' });
      expect(await keysBelow(prefix)).toEqual([`${prefix}0`]);
      await expectNothing(`${prefix}to`);
    });

    /** Puts objects of these sizes into the slots of a folder, the last one first, and returns them with their bytes. */
    async function inSlots(prefix: string, sizes: number[]) {
      const [slotBytes = 0] = sizes;
      const all = sizes.map((size, number) => ({
        key: `${prefix}${number}`,
        size,
        data: bytes(size, number),
        options: { maxBytes: size, slot: { number, bytes: slotBytes } },
      }));
      const putting = all
        .toReversed()
        .map(({ key, data, options }) => store.put(key, stream(data), options));
      expect(await Promise.all(putting)).toEqual(all.toReversed().map(({ size }) => ({ size })));
      return all;
    }
    type InSlot = Awaited<ReturnType<typeof inSlots>>[number];
    const expectBytes = async (key: string, data: Uint8Array) => {
      const got = await read(await store.open(key));
      expect([got?.length, got && Bun.hash(got)]).toEqual([data.length, Bun.hash(data)]);
    };
    const expectComposed = async (key: string, parts: Pick<InSlot, 'key' | 'size' | 'data'>[]) => {
      const data = Buffer.concat(parts.map((part) => part.data));
      expect(await store.compose(key, parts)).toEqual({ size: data.length });
      await expectBytes(key, data);
      for (const part of parts) await expectBytes(part.key, part.data);
      expect(await fixture.leftovers()).toBe(0);
    };

    test.each([
      ['one', [2 * MIB]],
      ['full ones', [2 * MIB, 2 * MIB, 2 * MIB]],
      ['full ones and a short last one', [MIB, MIB, MIB, 70_001]],
      ['an empty last one', [MIB, MIB, 0]],
      ['a short one between', [2 * MIB, MIB, 2 * MIB]],
      ['slots of an odd size', [MIB + 1, MIB + 1, 5]],
      ['small slots', [1000, 1000]],
    ])('composes objects in slots: %s', async (name, sizes) => {
      const prefix = `slots/${name.replaceAll(' ', '-')}/`;
      const parts = await inSlots(prefix, sizes);
      expect(await Array.fromAsync(store.list(prefix)).then((all) => all.length)).toBe(
        parts.length,
      );
      await expectComposed(`${prefix}all`, parts);
      const data = Buffer.concat(parts.map((part) => part.data));
      await store.deleteMany(parts.map(({ key }) => key));
      expect(await keysBelow(prefix)).toEqual([`${prefix}all`]);
      await expectBytes(`${prefix}all`, data);
    });

    test('an object in a slot is like any other', async () => {
      const [first, second, third] = (await inSlots('slot/like/', [MIB, MIB, 500])) as [
        ...[InSlot, InSlot, InSlot],
      ];
      expect(await store.head(second.key)).toMatchObject({ size: MIB });
      for (const known of [undefined, { size: MIB }])
        for (const [start, end] of [
          ...[
            [0, 10],
            [MIB - 10, MIB],
            [5, 5],
          ],
        ] as const)
          expect(await read(await store.open(second.key, known), { start, end })).toEqual(
            second.data.slice(start, end),
          );
      const opened = await store.open(second.key);
      const streamed = new Response(opened?.stream?.({ start: 100, end: 200 }));
      if (opened?.stream)
        expect(new Uint8Array(await streamed.arrayBuffer())).toEqual(second.data.slice(100, 200));
      const listed = await Array.fromAsync(store.list('slot/like/'));
      expect(listed.map(({ size }) => size).sort((a, b) => a - b)).toEqual([500, MIB, MIB]);
      expect(await store.copy('slot/like/copy', second)).toEqual({ size: MIB });
      await store.delete(second.key);
      expect(await store.open(second.key)).toBeNull();
      await expectBytes('slot/like/copy', second.data);
      for (const other of [first, third]) await expectBytes(other.key, other.data);
      await store.deletePrefix('slot/like/');
      await expectNothing(first.key);
    });

    test('composes what is in slots in another order, a part of it, and with others between', async () => {
      const parts = await inSlots('slot/other/', [MIB, MIB, MIB]);
      const [first, second, third] = parts as [InSlot, InSlot, InSlot];
      const data = bytes(2 * MIB, 9);
      await store.put('slot/other/own', stream(data));
      const own = { key: 'slot/other/own', size: data.length, data };
      const orders = [
        [third, second, first],
        [first, third],
        [first, second],
        [second, third],
        [second],
        [first, own, third],
        [first, first],
        [first, second, third, own],
        parts,
      ];
      for (const [n, order] of orders.entries()) await expectComposed(`slot/composed/${n}`, order);
      await expectComposed('slot/composed/again', parts);
    });

    test('what is sent again for a slot does not change what is in it', async () => {
      const parts = await inSlots('slot/again/', [MIB, MIB]);
      const [first, second] = parts as [InSlot, InSlot];
      const failing = chunked((chunk) => {
        if (chunk === 10) throw new Error('the client went away');
      });
      const again = 'slot/again/again';
      await expect(store.put(again, failing.body, first.options)).rejects.toThrow('went away');
      await expectNothing(again);
      for (const part of parts) await expectBytes(part.key, part.data);
      const data = bytes(MIB, 8);
      await store.put(again, stream(data), first.options);
      for (const part of parts) await expectBytes(part.key, part.data);
      await expectComposed('slot/again/new', [{ key: again, size: MIB, data }, second]);
      await expectComposed('slot/again/old', parts);
    });

    test('a slot whose put has failed is filled by the next one', async () => {
      const options = (number: number) => ({ maxBytes: MIB, slot: { number, bytes: MIB } });
      const put = (number: number, data: Uint8Array) =>
        store.put(`slot/failed/${number}`, stream(data), options(number));
      await put(0, bytes(MIB, 0));
      for (const number of [1, 2]) {
        const failing = chunked((chunk) => {
          if (chunk === 15) throw new Error('the client went away');
        });
        const key = `slot/failed/none${number}`;
        await expect(store.put(key, failing.body, options(number))).rejects.toThrow('went away');
        await expectNothing(key);
      }
      await expectBytes('slot/failed/0', bytes(MIB, 0));
      await put(1, bytes(1000, 1));
      const parts = [MIB, 1000].map((size, n) => ({
        ...{ key: `slot/failed/${n}`, size },
        data: bytes(size, n),
      }));
      await expectComposed('slot/failed/all', parts);
    });

    test('composes while another slot is being filled, and neither sees the other', async () => {
      const parts = await inSlots('slot/busy/', [MIB, MIB]);
      const data = bytes(64 * 1024);
      const filled = chunked(async (chunk) => {
        if (chunk === 8) await store.compose('slot/busy/first', parts);
        if (chunk === 12) await store.compose('slot/busy/second', parts);
        if (chunk === 16) throw new Error('enough');
      });
      const options = { maxBytes: 2 * MIB, slot: { number: 1, bytes: 2 * MIB } };
      const more = { maxBytes: MIB, slot: { number: 2, bytes: MIB } };
      const put = store.put('slot/busy/3', filled.body, more);
      await expect(put).rejects.toThrow('enough');
      for (const name of ['first', 'second'])
        await expectBytes(`slot/busy/${name}`, Buffer.concat(parts.map((part) => part.data)));
      await store.put('slot/busy/other', stream(data), options);
      await expectBytes('slot/busy/other', data);
    });

    test('refuses what is larger than its slot, and leaves those beside it', async () => {
      const parts = await inSlots('slot/large/', [MIB, MIB, MIB]);
      await store.delete('slot/large/1');
      const large = bytes(MIB + 1);
      const slot = { number: 1, bytes: MIB };
      await store.put('slot/large/free', stream(large), { slot });
      await expectBytes('slot/large/free', large);
      const put = store.put('slot/large/bound', stream(large), { maxBytes: MIB, slot });
      expect(await put.catch((error) => error)).toMatchObject({ code: 'too-large' });
      for (const { key, data } of [parts[0], parts[2]] as [InSlot, InSlot])
        await expectBytes(key, data);
    });

    test('composes over an earlier object only as a whole', async () => {
      const { sources, data } = await sourcesOf('over/', [6 * MIB, 3]);
      await store.put('over/to', stream(bytes(10)));
      await store
        .compose('over/to', [...sources, { key: 'over/none', size: 1 }])
        .catch((error) => error);
      expect((await store.open('over/to'))?.size).toBe(10);
      await store.compose('over/to', sources);
      expect((await store.head('over/to'))?.size).toBe(data.length);
    });

    test('tells the size and the time of an object without its bytes', async () => {
      await store.put('head/file', stream(bytes(300)));
      const { size, modifiedAt } = (await store.open('head/file')) ?? {};
      expect(await store.head('head/file')).toEqual({ size, modifiedAt } as never);
      for (const key of ['head', 'head/none', 'head/file/below'])
        expect(await store.head(key)).toBeNull();
    });

    test('reads an object whose size is known, and its ranges', async () => {
      const data = bytes(1000);
      await store.put('known/size', stream(data));
      const object = await store.open('known/size', { size: 1000 });
      expect(await read(object)).toEqual(data);
      expect(await read(object, { start: 10, end: 20 })).toEqual(data.slice(10, 20));
    });

    test('reads nothing of a missing object whose size is known', async () => {
      const reading = async () => {
        const object = await store.open('known/none', { size: 10 });
        return object && read(object);
      };
      const outcome = await reading().catch((error) => error.code);
      expect([null, 'not-found']).toContain(outcome);
    });

    test('deletes many objects, and does not mind those that are missing', async () => {
      const keys = Array.from({ length: 30 }, (_, index) => `gone/${index % 3}/${index}`);
      for (const key of ['gone/stays', ...keys]) await store.put(key, stream(bytes(1)));
      await store.deleteMany([...keys, 'gone/none', 'gone/1']);
      await store.deleteMany([]);
      expect(await keysBelow('gone/')).toEqual(['gone/stays']);
    });

    test('fails to move in what is not there', async () => {
      await expect(store.putFile('moved/nothing', join(folder, 'nothing'))).rejects.toThrow();
      await expectNothing('moved/nothing');
    });

    test('lists with sizes what is below a prefix and nothing beside it', async () => {
      for (const key of ['list/b/one', 'list/b/deep/two', 'list/bc', 'list/bc2/three', 'list/a']) {
        await store.put(key, stream(bytes(key.length)));
      }
      expect(await keysBelow('list/b/')).toEqual(['list/b/deep/two', 'list/b/one']);
      expect(await keysBelow('list/none/')).toEqual([]);
      expect(await keysBelow('list/a/')).toEqual([]);
      expect((await keysBelow('')).filter((key) => key.startsWith('list/'))).toHaveLength(5);
      expect(await Array.fromAsync(store.list('list/bc2/'))).toEqual([
        { key: 'list/bc2/three', size: 14 },
      ]);
    });

    test('stops listing when its reader does', async () => {
      for await (const one of store.list('list/')) {
        expect(one.key).toStartWith('list/');
        break;
      }
    });

    test('deletes one object, and does not mind when there is none', async () => {
      await store.put('del/x', stream(bytes(1)));
      await store.put('del/xy', stream(bytes(1)));
      await store.put('del/z/1', stream(bytes(1)));
      for (const key of ['del/x', 'del/x', 'del/never', 'del/z', 'del/xy/below']) {
        await store.delete(key);
      }
      expect(await keysBelow('del/')).toEqual(['del/xy', 'del/z/1']);
    });

    test('deletes what is below a prefix and nothing beside it', async () => {
      const keep = ['pre/a', 'pre/bc', 'pre/bc2/x'];
      for (const key of [...keep, 'pre/b/1', 'pre/b/deep/er/2']) {
        await store.put(key, stream(bytes(1)));
      }
      for (const prefix of ['pre/b/', 'pre/b/', 'pre/a/', 'pre/none/']) {
        await store.deletePrefix(prefix);
      }
      expect(await keysBelow('pre/')).toEqual(keep);
      expect(await store.open('pre/b/deep/er/2')).toBeNull();
      expect(await fixture.leftovers()).toBe(0);
    });

    test('ends a deletion early, and another call continues', async () => {
      const keys = ['early/a/1', 'early/b/1', 'early/c/1', 'early/d'];
      for (const key of keys) await store.put(key, stream(bytes(1)));
      expect(await store.deletePrefix('early/', () => true)).toBe(false);
      expect(await store.deletePrefix('early/', () => false)).toBe(true);
      expect(await keysBelow('early/')).toEqual([]);
      expect(await store.deletePrefix('early/')).toBe(true);
      expect(await fixture.leftovers()).toBe(0);
    });

    test('puts and deletes side by side without losing a put', async () => {
      for (let round = 0; round < rounds(20, 5); round += 1) {
        const key = `busy/deep/${round}`;
        await Promise.all([
          store.put(key, stream(bytes(10))),
          store.deletePrefix('busy/other/'),
          store.delete('busy/deep/none'),
        ]);
        expect((await store.open(key))?.size).toBe(10);
        await Promise.all([store.delete(key), store.put('busy/deep/stays', stream(bytes(3)))]);
        expect(await keysBelow('busy/')).toEqual(['busy/deep/stays']);
        await store.delete('busy/deep/stays');
      }
    });

    test.each(['../out', 'a/../../out', '/etc/x', 'a//b', 'a\\b', 'a\0b', '%2e%2e/x', ''])(
      'refuses the key %p everywhere',
      async (key) => {
        await expect(store.put(key, stream(bytes(1)))).rejects.toThrow('Not an object key');
        await expect(store.putFile(key, join(folder, 'none'))).rejects.toThrow('Not an object key');
        await expect(store.open(key)).rejects.toThrow('Not an object key');
        await expect(store.open(key, { size: 1 })).rejects.toThrow('Not an object key');
        await expect(store.head(key)).rejects.toThrow('Not an object key');
        await expect(store.compose(key, [])).rejects.toThrow('Not an object key');
        await expect(store.compose('a', [{ key, size: 1 }])).rejects.toThrow('Not an object key');
        await expect(store.copy(key, { key: 'a', size: 1 })).rejects.toThrow('Not an object key');
        await expect(store.copy('a', { key, size: 1 })).rejects.toThrow('Not an object key');
        await expect(store.deleteMany([key])).rejects.toThrow('Not an object key');
        await expect(store.delete(key)).rejects.toThrow('Not an object key');
        await expect(store.deletePrefix(`${key}/`)).rejects.toThrow('Not an object key');
        await expect(keysBelow(`${key}/`)).rejects.toThrow('Not an object key');
      },
    );

    test.each(['', 'a', 'a/b'])(
      'never deletes below %p, which ends in no slash',
      async (prefix) => {
        await expect(store.deletePrefix(prefix)).rejects.toThrow("ends in '/'");
      },
    );

    test('leaves what is being put alone when it tidies', async () => {
      const data = bytes(64 * 1024);
      const source = chunked(async (chunk) => {
        if (chunk % 50 === 1) await store.tidy(Date.now());
        if (chunk === 150) throw new Error('enough');
      });
      await expect(store.put('tidied/half', source.body)).rejects.toThrow('enough');
      await store.put('tidied/whole', stream(data));
      await store.tidy(Date.now());
      expect(await read(await store.open('tidied/whole'))).toEqual(data);
      expect(await fixture.leftovers()).toBe(0);
    });

    test('says that it can be written to, and leaves nothing', async () => {
      const before = await keysBelow('');
      await store.check();
      expect(await keysBelow('')).toEqual(before);
      expect(await fixture.leftovers()).toBe(0);
    });
  });
}
