import { expect, spyOn, test } from 'bun:test';
import sharp from 'sharp';
import type { FileDetailWire, FileWire } from '../../../server/contract/wire.ts';
import { form, listFiles, sendFile, waitForFile } from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { clip, LONG_CLIP_SIZES, photo } from '../../support/fixtures/make-media.ts';
import { groupBucket, groupBucketInProcess } from '../../support/server/group-server.ts';

const { server, bucket } = await groupBucket();

async function upload(
  fields: Record<string, string>,
  bytes: Buffer,
  thumbnail?: Buffer,
): Promise<FileWire> {
  const body = form({ chunk_number: '0', total_chunks: '1', ...fields });
  if (thumbnail) body.append('thumbnail', new Blob([thumbnail as never]), 'cover.jpg');
  body.append('file', new Blob([bytes as never]), 'clip.mp4');
  const response = await fetch(`${server.url}/files/upload/video/${bucket.id}`, {
    method: 'POST',
    headers: { 'x-api-key': bucket.api_key },
    body,
  });
  expect(response.status).toBe(201);
  return (await response.json()) as FileWire;
}

const sizesIn = (master: string) =>
  [...master.matchAll(/STREAM-INF:[^\n]*RESOLUTION=(\d+x\d+)/g)].map((match) => match[1]);
const variantsIn = (master: string) => new Set(sizesIn(master)).size;

test('a video plays in its smaller size while the larger is made, from the URL it keeps', async () => {
  const { server, bucket } = await groupBucketInProcess();
  const { media } = server.services;
  const encode = media.run.bind(media);
  const { promise: isLookedAt, resolve: release } = Promise.withResolvers<void>();
  // The larger size may be ready before a busy machine looks at the smaller one.
  using _run = spyOn(media, 'run').mockImplementation(async (job, options) => {
    const result = await encode(job, options);
    await isLookedAt;
    return result;
  });
  const bytes = await clip({ width: 854, height: 480, seconds: 4 });
  const fields = { access: 'public', resolution: LONG_CLIP_SIZES };
  const { id } = await sendFile(server, bucket, 'video', fields, bytes, 'clip.mp4');
  const playable = await until(async () =>
    (await listFiles(server, bucket)).data.find((file) => file.id === id && file.playable),
  );
  expect(playable.status).toBe('processing');
  const url = playable.url ?? '';
  const first = await fetch(url);
  expect(first.headers.get('cache-control')).toBe('no-cache');
  expect(variantsIn(await first.text())).toBe(1);
  release();
  const done = await waitForFile(server, bucket, id);
  const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
  expect(done).toMatchObject({ status: 'success', url, width: 854, height: 480, sha256 });
  const second = await fetch(url);
  expect(second.headers.get('cache-control')).toContain('immutable');
  expect(second.headers.get('etag')).not.toBe(first.headers.get('etag'));
  expect(variantsIn(await second.text())).toBe(2);
});

test('the thumbnail becomes the poster, and previews the seek bar, private ones with the token inside', async () => {
  const cover = await photo();
  const fields = {
    client_id: 'cover',
    access: 'private',
    resolution: '320x180',
    timeline_preview: 'yes',
  };
  const { id } = await upload(fields, await clip({ seconds: 7 }), cover);
  const file = await waitForFile(server, bucket, id);
  expect(file.thumbhash).toMatch(/^[A-Za-z0-9+/=]{20,}$/);
  const { jwt } = await listFiles(server, bucket);
  expect((await fetch(file.poster ?? '')).status).toBe(401);
  const poster = await fetch(`${file.poster}?jwt=${jwt}`);
  expect(poster.headers.get('content-type')).toBe('image/webp');
  const { width, height } = await sharp(Buffer.from(await poster.arrayBuffer())).metadata();
  expect(width / height).toBeCloseTo(640 / 480, 1);
  expect((await fetch(file.previews ?? '')).status).toBe(401);
  const cues = await fetch(`${file.previews}?jwt=${jwt}`);
  expect(cues.headers.get('content-type')).toContain('text/vtt');
  const urls = [...(await cues.text()).matchAll(/^(\S+)#xywh=[\d,]+$/gm)].map(
    (match) => match[1] ?? '',
  );
  expect(urls.length).toBeGreaterThan(2);
  const sheet = new URL(urls[0] ?? '', file.previews ?? '');
  expect((await fetch(sheet)).headers.get('content-type')).toBe('image/webp');
  sheet.search = '';
  expect((await fetch(sheet)).status).toBe(401);
});

test('without a thumbnail the poster is the video’s own picture; without the wish there are no previews', async () => {
  const { id } = await upload(
    { client_id: 'plain', resolution: '320x180' },
    await clip({ seconds: 2 }),
  );
  const file = await waitForFile(server, bucket, id);
  expect((await fetch(file.poster ?? '')).headers.get('content-type')).toBe('image/webp');
  expect(file.previews).toBeNull();
  expect([file.webp_skipped, file.kept_original]).toEqual([false, true]);
});

test('a damaged video tells how much of it could be read, and its original is kept', async () => {
  const spoilt = Buffer.from(await clip({ seconds: 4 }));
  const [data, index] = [spoilt.indexOf('mdat') + 4, spoilt.indexOf('moov') - 4];
  spoilt.fill(0, Math.floor((data + index) / 2), index);
  const { id } = await upload({ client_id: 'spoilt', resolution: '320x180' }, spoilt);
  const file = await waitForFile(server, bucket, id);
  expect(file.status).toBe('success');
  expect(file.warning).toMatch(
    /^The video is damaged\. [1-3]\.\d of 4\.0 seconds could be read\.$/,
  );
  const headers = { 'x-api-key': bucket.api_key };
  const detail = await fetch(`${server.url}/files/${bucket.id}/${id}`, { headers });
  const { renditions } = (await detail.json()) as FileDetailWire;
  expect(renditions).toContainEqual(
    expect.objectContaining({ name: 'original', bytes: spoilt.length }),
  );
});

test('an image that would only grow as WebP is kept as it is, and says so', async () => {
  const small = await sharp(await photo({ width: 400, height: 400 }))
    .webp({ quality: 10 })
    .toBuffer();
  const response = await fetch(`${server.url}/files/upload/image/${bucket.id}`, {
    method: 'POST',
    headers: { 'x-api-key': bucket.api_key },
    body: form({ webp: 'yes' }, new Blob([small as never]), 'small.webp'),
  });
  const file = await waitForFile(server, bucket, ((await response.json()) as FileWire).id);
  expect([file.webp_skipped, file.kept_original]).toEqual([true, true]);
  const delivered = await (await fetch(file.url ?? '')).arrayBuffer();
  expect(delivered.byteLength).toBeLessThanOrEqual(small.length);
});

const jpeg = () => photo({ width: 400, height: 400 });
const png = async () =>
  sharp(await jpeg())
    .png()
    .toBuffer();

test.each([
  ['cut.jpg', jpeg],
  ['cut.png', png],
])('%s, which ends early, is delivered as far as it goes, and says so', async (name, encode) => {
  const whole = await encode();
  const response = await fetch(`${server.url}/files/upload/image/${bucket.id}`, {
    method: 'POST',
    headers: { 'x-api-key': bucket.api_key },
    body: form({}, new Blob([whole.subarray(0, whole.length * 0.8) as never]), name),
  });
  const file = await waitForFile(server, bucket, ((await response.json()) as FileWire).id);
  expect(file).toMatchObject({
    status: 'success',
    warning: 'The image is damaged or incomplete. What could be read of it is delivered.',
  });
  expect((await fetch(`${file.url}?w=100`)).status).toBe(200);
});

test.each(['avif', 'tiff'] as const)(
  '%s is delivered as WebP, and its original is kept',
  async (format) => {
    const original = await sharp(await jpeg())
      .toFormat(format)
      .toBuffer();
    const response = await fetch(`${server.url}/files/upload/image/${bucket.id}`, {
      method: 'POST',
      headers: { 'x-api-key': bucket.api_key },
      body: form({}, new Blob([original as never]), `photo.${format}`),
    });
    const { id } = (await response.json()) as FileWire;
    const file = await waitForFile(server, bucket, id);
    expect(file).toMatchObject({ status: 'success', warning: null, kept_original: true });
    expect((await fetch(file.url ?? '')).headers.get('content-type')).toBe('image/webp');
    const detail = await fetch(`${server.url}/files/${bucket.id}/${id}`, {
      headers: { 'x-api-key': bucket.api_key },
    });
    expect(((await detail.json()) as FileDetailWire).renditions).toContainEqual(
      expect.objectContaining({ name: 'original', bytes: original.length }),
    );
  },
);
