import { describe, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import sharp from 'sharp';
import { bmp } from '../../../media/testing/bmp.ts';
import { heic } from '../../../media/testing/heic.ts';
import { MIB } from '../../../server/contract/limits.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { bucketBytes } from '../../../server/features/buckets/service.ts';
import { createBucket, form, signUp, waitForFile } from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { generateOnce } from '../../support/fixtures/generate-once.ts';
import { clip, photo } from '../../support/fixtures/make-media.ts';
import { sharedBucket } from '../../support/server/server.ts';
import { tracesOf } from '../../support/server/stored-objects.ts';

const { server, user, bucket } = await sharedBucket();
const { traces, newSince, refused } = tracesOf(server);

const send = (
  path: string,
  body: BodyInit,
  headers: Record<string, string> = { 'x-api-key': bucket.api_key },
) => fetch(`${server.url}${path}`, { method: 'POST', body, headers });
const image = (body: BodyInit, headers?: Record<string, string>) =>
  send(`/files/upload/image/${bucket.id}`, body, headers);

describe('an image', () => {
  test('is taken by API key, answered at once, and ends as a WebP without its metadata', async () => {
    const original = await photo();
    const response = await image(
      form({ access: 'public', webp: 'yes' }, new Blob([original as never]), 'My Photo.jpg'),
    );
    expect(response.status).toBe(201);
    const file = (await response.json()) as FileWire;
    expect(file).toMatchObject({
      status: 'processing',
      name: 'My Photo.jpg',
      size: original.length,
      url: null,
      playable: false,
    });
    const done = await waitForFile(server, bucket, file.id);
    expect(done).toMatchObject({ status: 'success', width: 640, height: 480, error: null });
    expect(done.url).toEndWith('/my-photo.webp');
    const delivered = await fetch(done.url ?? '');
    expect(delivered.headers.get('content-type')).toBe('image/webp');
    const bytes = Buffer.from(await delivered.arrayBuffer());
    expect(bytes.includes('SecretCamera') || bytes.includes('Exif')).toBe(false);
    expect((await sharp(bytes).metadata()).format).toBe('webp');
  });

  test('without WebP is delivered with the same pixels and none of the metadata', async () => {
    const original = await photo();
    const response = await image(
      form({ access: 'public', webp: '' }, new Blob([original as never]), 'p.jpg'),
    );
    const { id } = (await response.json()) as FileWire;
    const done = await waitForFile(server, bucket, id);
    expect(done.url).toEndWith('/p.jpg');
    const bytes = Buffer.from(await (await fetch(done.url ?? '')).arrayBuffer());
    expect(original.includes('SecretCamera')).toBe(true);
    expect(bytes.includes('SecretCamera') || bytes.includes('SecretOwner')).toBe(false);
    const pixels = (data: Buffer) => sharp(data).raw().toBuffer();
    expect((await pixels(bytes)).equals(await pixels(original))).toBe(true);
  });

  test.each([
    ['HEIC', () => heic({ width: 64, height: 48 })],
    ['BMP', async () => bmp(64, 48, [200, 100, 50])],
  ])('in %s, which few browsers show, is delivered as WebP', async (_, make) => {
    const original = await make();
    const response = await image(
      form({ access: 'public' }, new Blob([original as never]), 'a.jpg'),
    );
    const { id } = (await response.json()) as FileWire;
    const done = await waitForFile(server, bucket, id);
    expect(done).toMatchObject({ status: 'success', width: 64, height: 48, kept_original: true });
    expect(done.url).toEndWith('/a.webp');
  });

  test('is taken by a session and by a write token, not by a read token or a stranger', async () => {
    const body = async () =>
      form({}, new Blob([(await photo({ width: 64, height: 64 })) as never]), 'p.jpg');
    const mint = async (scope: string) => {
      const response = await user.client.post(
        `/buckets/jwt/${bucket.id}/0/${scope}`,
        {},
        user.authorization,
      );
      return { authorization: `Bearer ${((await response.json()) as { jwt: string }).jwt}` };
    };
    expect((await image(await body(), user.authorization)).status).toBe(201);
    expect((await image(await body(), await mint('write'))).status).toBe(201);
    const read = await mint('read');
    const form2 = await body();
    await refused(() => image(form2, read), 401, 'Log in');
    const stranger = await signUp(server);
    const theirs = await createBucket(server, stranger.token);
    await refused(async () => image(await body(), stranger.authorization), 404, 'Bucket not found');
    await refused(
      async () => image(await body(), { 'x-api-key': theirs.api_key }),
      404,
      'Bucket not found',
    );
    await refused(
      async () => image(await body(), { 'x-api-key': `whf_${'A'.repeat(43)}` }),
      401,
      'API key',
    );
    await refused(async () => image(await body(), {}), 401, 'Log in');
    await refused(
      async () => send('/files/upload/image/nowhere', await body()),
      404,
      'Bucket not found',
    );
  });

  test('with a client_id becomes one file however often it is sent, and the id finds it', async () => {
    const bytes = new Blob([(await photo({ width: 48, height: 48 })) as never]);
    const fields = { client_id: 'photo-1' };
    const idOf = async (response: Response) => {
      expect(response.status).toBe(201);
      return ((await response.json()) as FileWire).id;
    };
    const sendAgain = async () => idOf(await image(form(fields, bytes, 'p.jpg')));
    const ids = new Set(await Promise.all([sendAgain(), sendAgain(), sendAgain()]));
    ids.add(await sendAgain());
    expect(ids.size).toBe(1);
    const [fileId = ''] = ids;
    const other = new Blob([(await photo({ width: 40, height: 40 })) as never]);
    await refused(() => image(form(fields, other, 'p.jpg')), 409, 'Use a new client_id');

    const find = (id: string, headers: Record<string, string> = { 'x-api-key': bucket.api_key }) =>
      fetch(`${server.url}/files/upload/image/${bucket.id}/${id}`, { headers });
    expect(await (await find('photo-1')).json()).toMatchObject({
      received: [0],
      total: 1,
      file_id: fileId,
    });
    expect((await find('photo-2')).status).toBe(404);
    // The session is another uploader, with ids of its own.
    expect((await find('photo-1', user.authorization)).status).toBe(404);

    const { status } = await fetch(`${server.url}/files/${bucket.id}/${fileId}`, {
      method: 'DELETE',
      headers: { 'x-api-key': bucket.api_key },
    });
    expect(status).toBe(204);
    await refused(() => image(form(fields, bytes, 'p.jpg')), 410, 'deleted');
  });

  test('loses against another one under its client_id at the same time, or against a video', async () => {
    const sizes = [50, 51].map((width) => photo({ width, height: 50 }));
    const images = (await Promise.all(sizes)).map((bytes) => new Blob([bytes as never]));
    const fields = { client_id: 'photo-race' };
    const race = await Promise.all(images.map((one) => image(form(fields, one, 'p.jpg'))));
    expect(race.map(({ status }) => status).sort()).toEqual([201, 409]);

    const chunk = new Blob([(await clip({ seconds: 1 })) as never]);
    const video = { client_id: 'clip-then-photo', chunk_number: '0', total_chunks: '1' };
    const sent = await send(`/files/upload/video/${bucket.id}`, form(video, chunk, 'a.mp4'));
    expect(sent.status).toBe(201);
    const photoForm = form({ client_id: 'clip-then-photo' }, images[0], 'p.jpg');
    const asVideo = { ...video, client_id: 'photo-race' };
    const toVideo = `/files/upload/video/${bucket.id}`;
    // An image is no video of one chunk.
    for (const one of [chunk, ...images]) {
      const taken = 'belongs to another file';
      await refused(() => send(toVideo, form(asVideo, one, 'a.mp4')), 409, taken);
    }
    await refused(() => image(photoForm), 409, 'Use a new client_id');
    await refused(() => image(form({ client_id: '../x' }, images[0], 'p.jpg')), 422, 'client_id');
  });

  test('that is text under the name of a JPEG is refused', () =>
    refused(
      () =>
        image(form({}, new Blob(['just text '.repeat(2 * MIB)], { type: 'image/jpeg' }), 'a.jpg')),
      415,
      'not a JPEG',
    ));

  test('that is a video is told the call for videos, also where its form is too large to be looked at', async () => {
    const hint = `Upload Video, or POST /files/upload/video/${bucket.id}.`;
    const video = new Blob([(await clip({ seconds: 1 })) as never]);
    await refused(() => image(form({}, video, 'a.jpg')), 415, `It is a video: use ${hint}`);
    const large = new Blob([video, Buffer.alloc(60 * MIB)]);
    await refused(() => image(form({}, large, 'a.mp4')), 413, `For a video, use ${hint}`);
  });

  test('of 51 MiB is refused, with its length told or not', async () => {
    const large = Buffer.concat([await photo(), Buffer.alloc(51 * MIB)]);
    await refused(
      () => image(form({}, new Blob([large as never]), 'a.jpg')),
      413,
      'at most 50 MiB',
    );
    const body = new Response(form({}, new Blob([large as never]), 'a.jpg'));
    const type = body.headers.get('content-type') ?? '';
    const chunked = body.body as ReadableStream<Uint8Array>;
    await refused(
      () => image(chunked, { 'content-type': type, 'x-api-key': bucket.api_key }),
      413,
      'at most 50 MiB',
    );
  });

  test('that is missing or empty is refused', async () => {
    await refused(() => image(form({ access: 'public' })), 400, 'No file provided');
    await refused(() => image(form({}, new Blob([]), 'a.jpg')), 400, 'The file is empty.');
    await refused(() => image(form({}, new Blob([]), '')), 400, 'No file provided');
  });

  test('can have its fields behind the file', async () => {
    const blob = new Blob([(await photo({ width: 32, height: 32 })) as never]);
    const fields = { access: 'private', client_id: 'late-1', path: 'late/a.jpg', webp: 'yes' };
    const late = () => {
      const body = form({}, blob, 'a.jpg');
      for (const [name, value] of Object.entries(fields)) body.append(name, value);
      return body;
    };
    const response = await image(late());
    expect(response.status).toBe(201);
    const file = (await response.json()) as FileWire;
    expect(file).toMatchObject({ path: 'late/a.jpg', access: 'private' });
    const { url } = await waitForFile(server, bucket, file.id);
    expect(url).toEndWith('.webp');
    const again = (await (await image(late())).json()) as FileWire;
    expect(again.id).toBe(file.id);
    const other = form({}, new Blob([(await photo({ width: 33, height: 32 })) as never]), 'a.jpg');
    other.append('client_id', 'late-1');
    await refused(() => image(other), 409, 'Use a new client_id');
  });

  test('with a field of another call is refused', async () => {
    const blob = new Blob([(await photo({ width: 32, height: 32 })) as never]);
    const body = () => form({ resolution: '160x90' }, blob, 'a.jpg');
    await refused(() => image(body()), 422, 'and not resolution');
    const plain = () => send(`/files/upload/file/${bucket.id}`, form({ webp: 'yes' }, blob, 'a'));
    await refused(plain, 422, 'and not webp');
    const chunk = { client_id: 'other-call', chunk_number: '0', total_chunks: '1', webp: 'yes' };
    const video = () => send(`/files/upload/video/${bucket.id}`, form(chunk, blob, 'a.mp4'));
    await refused(video, 422, 'and not webp');
  });

  test('with a wrong field, also after the file, or two files is refused', async () => {
    const blob = new Blob([(await photo({ width: 32, height: 32 })) as never]);
    await refused(() => image(form({ access: 'secret' }, blob, 'a.jpg')), 422, 'access');
    await refused(() => image(form({ webp: 'on' }, blob, 'a.jpg')), 422, 'webp');
    const lateForm = form({}, blob, 'a.jpg');
    lateForm.append('access', 'secret');
    await refused(() => image(lateForm), 422, 'access');
    const two = form({}, blob, 'a.jpg');
    two.append('file', blob, 'b.jpg');
    await refused(() => image(two), 400, 'one file');
    const other = new FormData();
    other.append('picture', blob, 'a.jpg');
    await refused(() => image(other), 400, 'in the file field');
  });

  test('in anything but a whole form is refused', async () => {
    const headers = (type: string) => ({ 'content-type': type, 'x-api-key': bucket.api_key });
    await refused(() => image('{}', headers('application/json')), 415, 'multipart');
    await refused(() => image('x', headers('multipart/form-data')), 400, /boundary|malformed/);
    await refused(
      () => image('garbage', headers('multipart/form-data; boundary=x')),
      400,
      /cut off|malformed|No file/,
    );
    await refused(() => image('', headers('multipart/form-data; boundary=x')), 400, '.');
    const head =
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\nContent-Ty';
    await refused(
      () => image(head, headers('multipart/form-data; boundary=x')),
      400,
      /cut off|malformed|No file/,
    );
  });

  test('whose body is cut off half-way leaves nothing, and the server goes on', async () => {
    const before = await traces();
    const bytes = await photo({ width: 800, height: 800 });
    await cutOff(`/files/upload/image/${bucket.id}`, bytes);
    await until(async () => Object.keys(await newSince(before)).length === 0);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });

  test('that can not be decoded, or has too many pixels, ends in error with a reason, and nothing stays stored', async () => {
    const corrupt = Buffer.from(await photo());
    corrupt.fill(0, 200, 1200);
    const size = { width: 12_000, height: 12_000 };
    const huge = await readFile(
      await generateOnce('huge.png', size, async (path) => {
        const create = { ...size, channels: 3, background: 'red' } as const;
        await sharp({ create }).png({ compressionLevel: 9 }).toFile(path);
      }),
    );
    for (const [bytes, reason] of [
      [corrupt, /read|image/i],
      [huge, /megapixel/i],
    ] as const) {
      const response = await image(form({ webp: 'yes' }, new Blob([bytes as never]), 'x.jpg'));
      const { id } = (await response.json()) as FileWire;
      const file = await waitForFile(server, bucket, id);
      expect(file).toMatchObject({ status: 'error', url: null });
      expect(file.error).toMatch(reason);
      expect(file.sha256).toBe(new Bun.CryptoHasher('sha256').update(bytes).digest('hex'));
    }
    const stored = await server.db
      .selectFrom('files')
      .innerJoin('media', 'media.file_id', 'files.id')
      .select(['id', 'stored_bytes', 'status'])
      .execute();
    const usage = stored.reduce((sum, file) => sum + file.stored_bytes, 0);
    expect(
      stored.filter((file) => file.status === 'error').every((file) => file.stored_bytes === 0),
    ).toBe(true);
    const row = await server.db
      .selectFrom('buckets')
      .select(bucketBytes.as('usage'))
      .where('id', '=', bucket.id)
      .executeTakeFirstOrThrow();
    expect(row.usage).toBe(usage);
  });
});

/** Sends the start of a form over a plain socket and closes it. */
function cutOff(path: string, bytes: Uint8Array): Promise<void> {
  const { hostname, port } = new URL(server.url);
  const head = `--x\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n`;
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nx-api-key: ${bucket.api_key}\r\ncontent-type: multipart/form-data; boundary=x\r\ncontent-length: ${bytes.length * 2}\r\n\r\n${head}`,
      );
      socket.write(bytes, () => setTimeout(() => socket.destroy(), 50));
    });
    socket.on('close', () => resolve());
  });
}
