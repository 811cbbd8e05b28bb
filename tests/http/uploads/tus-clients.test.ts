import { expect, test } from 'bun:test';
import { type DetailedError, Upload } from 'tus-js-client';
import { HOUR, MIB } from '../../../server/contract/limits.ts';
import { encode, locationOf, speakTus } from '../../support/client/tus.ts';
import { clip, clipOfSize, photo } from '../../support/fixtures/make-media.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

let now = Date.now();
const { server, bucket } = await sharedBucketInProcess({}, { clock: () => now });
const { endpoint, key, call, create, patch, offsetOf, sendAndCut } = speakTus(server, bucket);

const errorOf = async (response: Response) => [
  response.status,
  response.headers.get('x-error-code'),
  await response.text(),
];
const fileOf = (response: Response) => response.headers.get('x-file-id');

test('an upload of unknown length whose last part was cut off is finished by the same request', async () => {
  const bytes = await clip({ seconds: 1 });
  const created = await call('POST', endpoint, {
    'upload-defer-length': '1',
    'upload-metadata': encode({ filename: 'a.mp4', resolution: '160x90' }),
  });
  const url = new URL(locationOf(created));
  const length = { 'upload-length': String(bytes.length) };
  await sendAndCut(url, 0, bytes.subarray(0, 2000), length);
  const offset = await offsetOf(url.href);
  expect((await call('HEAD', url.href)).headers.get('upload-length')).toBe(String(bytes.length));
  const other = { 'upload-length': String(bytes.length + 1) };
  expect(await errorOf(await patch(url.href, offset, bytes.subarray(offset), other))).toEqual([
    400,
    'bad-request',
    'Send either Upload-Length or Upload-Defer-Length. A length stays the same.',
  ]);
  const rest = await patch(url.href, offset, bytes.subarray(offset), length);
  expect([rest.status, fileOf(rest)]).toEqual([204, expect.any(String)]);
});

test('a length that was there from the start may be said again', async () => {
  const bytes = await photo();
  const url = locationOf(await create(bytes.length));
  const length = { 'upload-length': String(bytes.length) };
  expect((await patch(url, 0, bytes.subarray(0, 100), length)).status).toBe(204);
  expect((await patch(url, 100, bytes.subarray(100), length)).status).toBe(204);
});

test('a client whose last response was lost learns its file for 24 hours from HEAD', async () => {
  const bytes = await photo();
  const url = locationOf(await create(bytes.length));
  expect(fileOf(await call('HEAD', url))).toBeNull();
  now += 23 * HOUR;
  const id = fileOf(await patch(url, 0, bytes)) ?? '';
  now += 23 * HOUR;
  const response = await call('HEAD', url);
  expect([response.status, fileOf(response), response.headers.get('upload-offset')]).toEqual([
    200,
    id,
    String(bytes.length),
  ]);
  now += 2 * HOUR;
  expect((await call('HEAD', url)).status).toBe(410);
});

test('the endpoint may end in a slash', async () => {
  const bytes = await photo();
  const headers = { 'upload-length': String(bytes.length) };
  const offset = { 'content-type': 'application/offset+octet-stream' };
  const created = await call('POST', `${endpoint}/`, { ...headers, ...offset }, bytes as never);
  expect([created.status, fileOf(created)]).toEqual([201, expect.any(String)]);
  const url = locationOf(await call('POST', `${endpoint}/`, headers));
  expect(url).toStartWith(`${endpoint}/`);
  expect((await patch(`${url}/`, 0, bytes)).status).toBe(204);
  const large = await clipOfSize(2 * MIB);
  const length = { 'upload-length': String(large.length) };
  const video = await call('POST', `${endpoint}/`, { ...length, ...offset }, large as never);
  expect([video.status, fileOf(video)]).toEqual([201, expect.any(String)]);
});

test('a proxy may say that it was reached by several protocols', async () => {
  const headers = { 'x-forwarded-proto': 'https, http' };
  expect((await create(10, {}, headers)).status).toBe(201);
});

test('what the library refuses is one sentence with a code', async () => {
  const bytes = await photo();
  const url = locationOf(await create(bytes.length));
  const is = async (response: Response, status: number, code: string, text: string) => {
    expect(await errorOf(response)).toEqual([status, code, text]);
    expect(response.headers.get('tus-resumable')).toBe('1.0.0');
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  };
  await is(
    await patch(url, 5, bytes),
    409,
    'conflict',
    'Upload-Offset is not where the upload stands.',
  );
  await is(
    await call('PATCH', url, { 'upload-offset': '0' }, bytes as never),
    415,
    'unsupported-type',
    'The Content-Type header must be application/offset+octet-stream.',
  );
  await is(
    await call('POST', endpoint, { 'upload-length': '-1', 'upload-metadata': 'a b c' }),
    400,
    'bad-request',
    'Not a valid value in: upload-length, upload-metadata.',
  );
  await is(
    await call('POST', endpoint, { 'upload-length': String(2 ** 50) }),
    413,
    'too-large',
    'The file is too large.',
  );
  const old = await fetch(endpoint, {
    method: 'POST',
    headers: { ...key, 'tus-resumable': '0.2.2', 'upload-length': '10' },
  });
  expect(old.headers.get('tus-version')).toBe('1.0.0');
  await is(old, 412, 'other-version', 'The Tus-Resumable header must be 1.0.0.');
});

test('a client that would send a file in parallel learns at once that it can not', async () => {
  const refused = Promise.withResolvers<DetailedError>();
  new Upload(await photo(), {
    endpoint,
    headers: key,
    parallelUploads: 2,
    onError: (error) => refused.resolve(error as DetailedError),
  }).start();
  const { originalResponse } = await refused.promise;
  expect([originalResponse?.getStatus(), originalResponse?.getBody()]).toEqual([
    400,
    'Send the file as one upload, not in parallel.',
  ]);
});
