import { expect, test } from 'bun:test';
import { Upload } from 'tus-js-client';
import { MIB } from '../../../server/contract/limits.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { createBucket, listFiles, signUp, waitForFile } from '../../support/client/api.ts';
import { encode, locationOf, speakTus } from '../../support/client/tus.ts';
import { until } from '../../support/client/wait.ts';
import { clip, clipOfSize, photo } from '../../support/fixtures/make-media.ts';
import { sharedBucket } from '../../support/server/server.ts';

const { server, user, bucket } = await sharedBucket({
  MAX_VIDEO_BYTES: String(300 * MIB),
  MAX_FILE_BYTES: String(310 * MIB),
});
const { endpoint, key, call, create, patch, offsetOf, sendAndCut, objects } = speakTus(
  server,
  bucket,
);

test('tus-js-client uploads a video with its metadata, in parts', async () => {
  const bytes = await clipOfSize(12 * MIB);
  const chunks: number[] = [];
  await new Promise<void>((resolve, reject) => {
    new Upload(bytes, {
      endpoint,
      headers: { authorization: `Bearer ${user.token}` },
      chunkSize: 5 * MIB,
      metadata: {
        filename: 'Harbour film.mp4',
        filetype: 'video/mp4',
        access: 'private',
        resolution: '320x180',
      },
      onChunkComplete: (size) => chunks.push(size),
      onSuccess: () => resolve(),
      onError: reject,
    }).start();
  });
  expect(chunks).toHaveLength(3);
  const [file] = (await listFiles(server, bucket)).data;
  expect(file).toMatchObject({
    name: 'Harbour film.mp4',
    size: bytes.length,
    access: 'private',
    file_type: 'video',
  });
  expect(await waitForFile(server, bucket, file?.id ?? '')).toMatchObject({
    status: 'success',
    width: 320,
  });
});

test('an image in several small parts becomes one file', async () => {
  const bytes = await photo();
  const url = locationOf(await create(bytes.length, { filename: 'a.jpg', webp: 'yes' }));
  expect(url).toStartWith(`${endpoint}/`);
  let offset = 0;
  let last: Response | undefined;
  for (const end of [100, 5000, bytes.length]) {
    last = await patch(url, offset, bytes.subarray(offset, end));
    expect([last.status, last.headers.get('upload-offset')]).toEqual([204, String(end)]);
    offset = end;
  }
  const id = last?.headers.get('x-file-id') ?? '';
  expect(await waitForFile(server, bucket, id)).toMatchObject({
    status: 'success',
    file_type: 'image',
    size: bytes.length,
  });
  expect((await call('DELETE', url)).status).toBe(400);
  expect(
    (await listFiles(server, bucket)).data.filter((file: FileWire) => file.id === id),
  ).toHaveLength(1);
});

test('what arrived before a connection was cut is kept, and nothing is counted twice', async () => {
  const bytes = await clipOfSize(6 * MIB);
  const url = new URL(
    locationOf(await create(bytes.length, { filename: 'cut.mp4', resolution: '160x90' })),
  );
  let offset = 0;
  for (let cut = 0; cut < 5; cut += 1) {
    const before = offset;
    const now = await until(async () => {
      // Of a request that is cut off before the server reads it nothing is left, so it is sent again.
      await sendAndCut(url, before, bytes.subarray(before, before + MIB));
      const arrived = await offsetOf(url.href);
      return arrived > before && arrived;
    });
    expect(now).toBeLessThanOrEqual(offset + MIB);
    offset = now;
  }
  const done = await patch(url.href, offset, bytes.subarray(offset));
  expect(done.status).toBe(204);
  const id = done.headers.get('x-file-id') ?? '';
  const file = await waitForFile(server, bucket, id);
  expect(file).toMatchObject({ status: 'success', size: bytes.length });
});

test('a length may be told later, and an upload may begin with its creation', async () => {
  const bytes = await clip({ seconds: 1 });
  const created = await call(
    'POST',
    endpoint,
    {
      'upload-defer-length': '1',
      'content-type': 'application/offset+octet-stream',
      // Uppy sends this for a field that was never set.
      'upload-metadata': encode({ resolution: '160x90', webp: 'undefined', access: 'undefined' }),
    },
    bytes.subarray(0, 1000) as never,
  );
  expect([created.status, created.headers.get('upload-offset')]).toEqual([201, '1000']);
  const url = locationOf(created);
  expect((await call('HEAD', url)).headers.get('upload-defer-length')).toBe('1');
  const rest = await patch(url, 1000, bytes.subarray(1000), {
    'upload-length': String(bytes.length),
  });
  expect(rest.status).toBe(204);
  await waitForFile(server, bucket, rest.headers.get('x-file-id') ?? '');
});

test('an upload expires after a day, and can be stopped before; then nothing of it is left', async () => {
  const before = await objects();
  const bytes = await clip({ seconds: 1 });
  const response = await create(bytes.length);
  const expires = Date.parse(response.headers.get('upload-expires') ?? '');
  expect(expires - Date.now()).toBeGreaterThan(23 * 3_600_000);
  const url = locationOf(response);
  await patch(url, 0, bytes.subarray(0, 500));
  expect(await objects(before)).toHaveLength(1);
  expect((await call('DELETE', url)).status).toBe(204);
  expect(await objects(before)).toEqual([]);
  expect((await call('HEAD', url)).status).toBe(404);
  expect((await patch(url, 500, bytes.subarray(500))).status).toBe(404);
});

test('wrong requests are refused and leave nothing', async () => {
  const before = await objects();
  const text = Buffer.from('just text, '.repeat(1000));
  const url = locationOf(await create(text.length, { filetype: 'video/mp4' }));
  expect((await patch(url, 5, text)).status).toBe(409);
  const refused = await patch(url, 0, text);
  expect([refused.status, await refused.text()]).toEqual([
    415,
    expect.stringContaining("isn't a supported image or video"),
  ]);
  expect((await call('HEAD', url)).status).toBe(404);
  expect((await create(301 * MIB, { filetype: 'video/mp4' })).status).toBe(413);
  expect((await create(311 * MIB)).status).toBe(413);
  expect((await create(51 * MIB, { filetype: 'image/png' })).status).toBe(413);
  expect((await create(0, { filetype: 'image/png' })).status).toBe(415);
  expect((await create(10, { path: '../a' })).status).toBe(422);
  expect((await create(10, { on_conflict: 'overwrite' })).status).toBe(422);
  expect((await create(10, { access: 'secret' })).status).toBe(422);
  expect((await create(10, { resolution: 'huge' })).status).toBe(422);
  expect((await call('POST', endpoint, { 'upload-length': '-1' })).status).toBe(400);
  expect((await call('POST', endpoint, {})).status).toBe(400);
  expect((await fetch(endpoint, { method: 'POST', headers: key })).status).toBe(412);
  const small = await clip({ seconds: 1 });
  const short = locationOf(await create(100));
  expect((await patch(short, 0, small)).status).toBe(413);
  expect((await call('DELETE', short)).status).toBe(204);
  expect(await objects(before)).toEqual([]);
});

test('an upload is its uploader’s: to others, with another key or none, it is not there', async () => {
  const bytes = await clip({ seconds: 1 });
  const url = locationOf(await create(bytes.length));
  const stranger = await signUp(server);
  const theirs = await createBucket(server, stranger.token);
  for (const method of ['HEAD', 'PATCH', 'DELETE']) {
    const as = (headers: Record<string, string>, where = url) =>
      fetch(where, {
        method,
        headers: {
          'tus-resumable': '1.0.0',
          'upload-offset': '0',
          'content-type': 'application/offset+octet-stream',
          ...headers,
        },
      }).then((response) => response.status);
    expect(await as({})).toBe(401);
    expect(await as(stranger.authorization)).toBe(404);
    expect(await as({ 'x-api-key': theirs.api_key })).toBe(404);
    expect(await as({ 'x-api-key': theirs.api_key }, url.replace(bucket.id, theirs.id))).toBe(404);
    expect(await as(user.authorization)).toBe(404);
  }
  expect(await offsetOf(url)).toBe(0);
  await call('DELETE', url);
});

test('a page of another site may upload with a write token, and read why it may not', async () => {
  const origin = 'https://elsewhere.example';
  const response = await fetch(endpoint, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,tus-resumable',
    },
  });
  expect(response.status).toBe(204);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('access-control-allow-headers')?.toLowerCase()).toContain(
    'authorization',
  );
  expect(response.headers.get('tus-extension')).toContain('creation-defer-length');
  const mint = async (scope: string) => {
    const response = await user.client.post(
      `/buckets/jwt/${bucket.id}/0/${scope}`,
      {},
      user.authorization,
    );
    return ((await response.json()) as { jwt: string }).jwt;
  };
  const begin = (token: string) =>
    fetch(endpoint, {
      method: 'POST',
      headers: {
        origin,
        'tus-resumable': '1.0.0',
        'upload-length': '10',
        authorization: `Bearer ${token}`,
      },
    });
  const created = await begin(await mint('write'));
  expect([created.status, created.headers.get('access-control-allow-origin')]).toEqual([201, '*']);
  const refused = await begin(await mint('read'));
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, '*']);
});

test('a client that can only POST says what it means by X-HTTP-Method-Override', async () => {
  const bytes = await photo();
  const done = Promise.withResolvers<string>();
  const upload = new Upload(Buffer.from(bytes), {
    endpoint,
    headers: key,
    overridePatchMethod: true,
    retryDelays: null,
    onError: done.reject,
    onSuccess: ({ lastResponse }) => done.resolve(lastResponse.getHeader('X-File-Id') ?? ''),
  });
  upload.start();
  expect((await waitForFile(server, bucket, await done.promise)).status).toBe('success');

  const created = await create(10);
  const url = locationOf(created);
  const deleted = await call('POST', url, { 'x-http-method-override': 'DELETE' });
  expect(deleted.status).toBe(204);
  expect((await call('POST', url, { 'x-http-method-override': 'GET' })).status).toBe(404);
});
