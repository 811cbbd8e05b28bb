import { describe, expect, test } from 'bun:test';
import { CreateMultipartUploadCommand } from '@aws-sdk/client-s3';
import { startCuttingProxy } from '../../../../tests/support/services/cutting-proxy.ts';
import { type OwnRgw, startOwnRgw } from '../../../../tests/support/services/rgw.ts';
import { DAY, KIB, MIB } from '../../../contract/limits.ts';
import { describeObjectStore } from '../conformance.ts';
import { s3Bucket } from './client.ts';
import { listOpenMultiparts, listPages } from './list-and-delete.ts';
import { openS3ForReading, openS3Store, reachS3 } from './s3.ts';

const rgw = await startOwnRgw();
const unreachable = {
  bucket: 'files',
  root: '',
  endpoint: 'http://127.0.0.1:1',
  region: 'default',
  accessKeyId: 'key',
  secretAccessKey: 'very secret',
  sessionToken: null,
};

describe.skipIf(!rgw)('the S3 store on the RADOS Gateway', () => {
  const gateway = rgw as OwnRgw;
  const stream = (length: number) => new Blob([new Uint8Array(length).fill(7)]).stream();

  describeObjectStore('the S3 store', async () => {
    const { settings } = await gateway.bucket();
    const within = { ...settings, root: 'wharf/' };
    return {
      store: openS3Store(within),
      leftovers: async () => (await Array.fromAsync(listOpenMultiparts(s3Bucket(settings)))).length,
      close: async () => {},
    };
  });

  test('two that share a bucket see nothing of each other, nor of what is no key of ours', async () => {
    const { settings } = await gateway.bucket();
    const [one, other, all] = ['one/', 'other/', ''].map((root) =>
      openS3Store({ ...settings, root }),
    );
    await one?.put('a/b', stream(1));
    await other?.put('a/c', stream(1));
    const keysOf = async (store = all) =>
      (await Array.fromAsync(store?.list('') ?? [])).map(({ key }) => key).sort();
    expect(await keysOf(one)).toEqual(['a/b']);
    await one?.deletePrefix('a/');
    expect(await keysOf(all)).toEqual(['other/a/c']);
    expect(await keysOf(openS3Store({ ...settings, root: 'oth' }))).toEqual(['er/a/c']);
  });

  test('lists page by page to the end', async () => {
    const { settings } = await gateway.bucket();
    const store = openS3Store(settings);
    const keys = Array.from({ length: 25 }, (_, index) => `p/${10 + index}`);
    await Promise.all(keys.map((key) => store.put(key, stream(1))));
    const pages = await Array.fromAsync(listPages(s3Bucket(settings), 'p/', 10));
    expect(pages.map((page) => page.length)).toEqual([10, 10, 5]);
    expect(pages.flat().map(({ key }) => key)).toEqual(keys);
  });

  test('removes multiparts that were abandoned a day ago, and no others', async () => {
    const { settings } = await gateway.bucket();
    const bucket = s3Bucket(settings);
    const begin = { Bucket: settings.bucket, Key: 'a/cut-off' };
    const { UploadId } = await bucket.writing.send(new CreateMultipartUploadCommand(begin));
    const store = openS3Store(settings);
    const open = async () => (await Array.fromAsync(listOpenMultiparts(bucket))).length;
    await store.tidy(Date.now() + DAY - 60_000);
    expect(await open()).toBe(1);
    const reading = openS3ForReading(settings);
    expect(await Array.fromAsync(reading.leftovers(Date.now()))).toEqual([]);
    expect(await Array.fromAsync(reading.leftovers(Date.now() + DAY + 60_000))).toEqual([
      `the bucket ${settings.bucket} at ${settings.endpoint}: a/cut-off?uploadId=${UploadId}`,
    ]);
    await store.tidy(Date.now() + DAY + 60_000);
    expect(await open()).toBe(0);
  });

  test('sends again what a broken connection swallowed, whole objects and parts alike', async () => {
    const { settings } = await gateway.bucket();
    const cuts = [200 * KIB, 3 * MIB, 4 * MIB, 7 * MIB];
    const proxy = await startCuttingProxy(() => Number(new URL(gateway.url).port), cuts);
    const store = openS3Store({ ...settings, endpoint: `http://127.0.0.1:${proxy.port}` });
    expect(await store.put('small', stream(MIB))).toEqual({ size: MIB });
    expect(await store.put('large', stream(12 * MIB))).toEqual({ size: 12 * MIB });
    expect(proxy.cuts()).toBeGreaterThan(1);
    await proxy.stop();
    const object = await openS3Store(settings).open('large');
    const got = new Uint8Array(await new Response(object?.body()).arrayBuffer());
    expect(Bun.hash(got)).toBe(Bun.hash(new Uint8Array(12 * MIB).fill(7)));
    expect(await Array.fromAsync(listOpenMultiparts(s3Bucket(settings)))).toEqual([]);
  });

  /** Returns a store whose connections go through a proxy: a slow machine takes long to start a server again. */
  const storeBehindProxy = async () => {
    const { settings } = await gateway.bucket();
    const proxy = await startCuttingProxy(() => Number(new URL(gateway.url).port));
    const store = openS3Store({ ...settings, endpoint: `http://127.0.0.1:${proxy.port}` });
    return { store, proxy };
  };

  test('reads on from where it was when the server was away and came back', async () => {
    const { store, proxy } = await storeBehindProxy();
    const data = new Uint8Array(24 * MIB).map((_, index) => index % 251);
    await store.put('long', new Blob([data]).stream());
    const object = await store.open('long');
    const body = object?.body({ start: 5, end: data.length });
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    const pieces = [(await reader.read()).value ?? new Uint8Array()];
    proxy.away();
    setTimeout(proxy.back, 300);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      pieces.push(value);
    }
    await proxy.stop();
    expect(Bun.hash(Buffer.concat(pieces))).toBe(Bun.hash(data.subarray(5)));
  });

  test('tells a reader that has begun that the object is gone', async () => {
    const { settings } = await gateway.bucket();
    const store = openS3Store(settings);
    await store.put('gone', stream(100));
    const object = await store.open('gone');
    await store.delete('gone');
    const read = new Response(object?.body()).arrayBuffer().catch((error) => error);
    expect(await read).toMatchObject({ status: 404 });
  });

  test('holds few parts of what it stores while the server is away, and then stores all', async () => {
    const { store, proxy } = await storeBehindProxy();
    const piece = new Uint8Array(64 * KIB);
    const outage = Promise.withResolvers<void>();
    let uploads = 0;
    let isEnough = false;
    const source = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (isEnough) return controller.close();
          uploads += piece.length;
          if (uploads === 8 * MIB) {
            proxy.away();
            outage.resolve();
          }
          controller.enqueue(piece);
        },
      },
      { highWaterMark: 0 },
    );
    const storing = store.put('held', source);
    storing.catch(() => {});
    await outage.promise;
    // This waits until the put reads no more. A slow machine only makes the test less strict.
    for (let before = 0; before !== uploads; await Bun.sleep(500)) before = uploads;
    const before = uploads;
    isEnough = true;
    proxy.back();
    expect((await storing).size).toBe(before);
    await proxy.stop();
    expect(before).toBeLessThan(8 * MIB + 25 * MIB);
  });

  test.each([
    ['a bucket that is not there', { bucket: 'nowhere' }, 'the bucket does not exist'],
    ['a key that nobody has', { accessKeyId: 'who' }, 'the access key is unknown'],
    ['a secret that is wrong', { secretAccessKey: 'x' }, 'the access key is unknown'],
  ])('says what is wrong with %s', async (_, wrong, text) => {
    const { settings } = await gateway.bucket();
    expect(await reachS3(settings)).toBeUndefined();
    const error = await reachS3({ ...settings, ...wrong }).catch((failure) => failure);
    expect(error.message).toContain(text);
    expect(error.message).not.toContain(settings.secretAccessKey);
  });
});

describe('where no S3 server answers', () => {
  test('says so to who runs it, without the secret', async () => {
    const error = await reachS3(unreachable).catch((failure) => failure);
    expect(error.message).toBe("Can't reach the bucket files at http://127.0.0.1:1: ECONNREFUSED.");
  });

  test('says to others that they may try again', async () => {
    const store = openS3Store(unreachable);
    const failure = await store.open('a/b').catch((error) => error);
    expect(failure).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect(await store.check().catch((error) => error)).toMatchObject({ status: 503 });
  });
});
