import { expect, test } from 'bun:test';
import type { FileDetailWire, FileWire } from '../../../server/contract/wire.ts';
import { createBucket, signUp, uploadFile } from '../../support/client/api.ts';
import { transforming } from '../../support/client/transforms.ts';
import { updateFiles } from '../../support/fixtures/file-rows.ts';
import { clip, photo } from '../../support/fixtures/make-media.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';

const fixture = await groupBucketInProcess();
const { server, user, bucket } = fixture;
const { upload, usage, setPolicy, sizeOf } = transforming(fixture);

const imageOf =
  (size: 'thumbnail' | 'card' | 'preview') =>
  (
    { id }: Pick<FileWire, 'id'>,
    { where = bucket, headers = user.authorization as HeadersInit } = {},
  ) =>
    fetch(`${server.url}/files/${where.id}/${id}/${size}`, { headers });
const [thumbnailOf, cardOf, previewOf] = [
  imageOf('thumbnail'),
  imageOf('card'),
  imageOf('preview'),
];

const bandwidthOf = async ({ id }: Pick<FileWire, 'id'>) => {
  await server.services.usage.flush();
  const url = `${server.url}/files/${bucket.id}/${id}`;
  const detail = await (await fetch(url, { headers: user.authorization })).json();
  return (detail as FileDetailWire).bandwidth;
};

test('a thumbnail is a small square that is kept like any variant, and costs no bandwidth', async () => {
  const file = await upload(await photo({ width: 800, height: 500 }));
  const before = await usage();
  const response = await thumbnailOf(file);
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toMatch(/^private, max-age=\d+, immutable$/);
  const stored = (await usage()) - before;
  expect(stored).toBe(Number(response.headers.get('content-length')));
  expect(stored).toBeLessThan(8 * 1024);
  expect(await sizeOf(response)).toEqual([96, 96, 'heif']);

  await (await thumbnailOf(file)).bytes();
  expect((await usage()) - before).toBe(stored);
  expect(await bandwidthOf(file)).toEqual({ month: 0, total: 0 });
});

test('the picture of a card is sharp on screens of twice the density, and costs no bandwidth', async () => {
  const file = await upload(await photo({ width: 800, height: 500 }));
  expect(await sizeOf(await cardOf(file))).toEqual([336, 240, 'heif']);
  expect(await bandwidthOf(file)).toEqual({ month: 0, total: 0 });
});

test('a preview fits the details of a file, whatever the size of the file, and costs no bandwidth', async () => {
  const file = await upload(await photo({ width: 2400, height: 1200 }));
  const before = await usage();
  const response = await previewOf(file);
  const bytes = Number(response.headers.get('content-length'));
  expect(response.headers.get('cache-control')).toMatch(/^private, max-age=\d+, immutable$/);
  expect(await sizeOf(response)).toEqual([840, 420, 'heif']);
  expect((await usage()) - before).toBe(bytes);
  await (await previewOf(file)).bytes();
  expect((await usage()) - before).toBe(bytes);
  expect(await bandwidthOf(file)).toEqual({ month: 0, total: 0 });
});

test('the preview of a small photo is not enlarged, that of a small drawing is drawn as large as it is shown', async () => {
  const small = await upload(await photo({ width: 60, height: 40 }));
  expect(await sizeOf(await previewOf(small))).toEqual([60, 40, 'heif']);
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24"><circle r="9"/></svg>';
  const drawing = await upload(svg, { name: 'icon.svg' });
  expect(await sizeOf(await previewOf(drawing))).toEqual([480, 480, 'heif']);
});

test('thumbnails are shown at the bandwidth limit too, and never lead to it', async () => {
  const where = await createBucket(server, user.token, 'Limited');
  const file = await upload(await photo(), { where });
  const setLimit = async (limit: number) => {
    const headers = { ...user.authorization, 'content-type': 'application/json' };
    const body = JSON.stringify({ limit });
    const url = `${server.url}/buckets/bandwidth-limit/${where.id}`;
    expect((await fetch(url, { method: 'PUT', headers, body })).status).toBe(200);
  };
  const deliver = async () => {
    const response = await fetch(file.url ?? '');
    await response.bytes();
    await server.services.usage.flush();
    return response.status;
  };
  await setLimit(1);
  for (let view = 0; view < 3; view += 1) await (await thumbnailOf(file, { where })).bytes();
  await server.services.usage.flush();
  expect(await deliver()).toBe(200);
  expect(await deliver()).toBe(429);
  expect(await sizeOf(await thumbnailOf(file, { where }))).toEqual([96, 96, 'heif']);
});

test('a private file’s thumbnail is the owner’s alone, and stays in no cache', async () => {
  const file = await upload(await photo(), { access: 'private' });
  const response = await thumbnailOf(file);
  expect([response.status, response.headers.get('cache-control')]).toEqual([
    200,
    'private, no-store',
  ]);
  const stranger = await signUp(server);
  expect((await thumbnailOf(file, { headers: stranger.authorization })).status).toBe(404);
  expect((await thumbnailOf(file, { headers: {} })).status).toBe(401);
  expect((await thumbnailOf(file, { headers: { 'x-api-key': bucket.api_key } })).status).toBe(401);
  const other = await createBucket(server, user.token, 'Other');
  expect((await thumbnailOf(file, { where: other })).status).toBe(404);

  const preview = await previewOf(file);
  expect([preview.status, preview.headers.get('cache-control')]).toEqual([
    200,
    'private, no-store',
  ]);
  const refused: HeadersInit[] = [stranger.authorization, {}, { 'x-api-key': bucket.api_key }];
  const statuses = refused.map(async (headers) => (await previewOf(file, { headers })).status);
  expect(await Promise.all(statuses)).toEqual([404, 401, 401]);
});

test('a video shows its poster', async () => {
  const film = await clip({ seconds: 1 });
  const video = await uploadFile(server, bucket, 'video', { access: 'public' }, film, 'clip.mp4');
  expect(await sizeOf(await thumbnailOf(video))).toEqual([96, 96, 'heif']);
  expect((await previewOf(video)).status).toBe(200);
});

test('there is none of a file that is not ready, or where a bucket generates no images', async () => {
  const where = await createBucket(server, user.token, 'Off');
  const file = await upload(await photo(), { where });
  await setPolicy('off', where);
  const refused = await thumbnailOf(file, { where });
  expect([refused.status, await refused.text()]).toEqual([204, '']);
  expect((await previewOf(file, { where })).status).toBe(204);

  const waiting = await upload(await photo());
  await updateFiles(server.dataDir, [waiting.id], { status: 'processing' });
  expect((await thumbnailOf(waiting)).status).toBe(204);
  // The files of this folder share a server, and some compare its rows with its objects.
  await updateFiles(server.dataDir, [waiting.id], { status: 'success' });
});
