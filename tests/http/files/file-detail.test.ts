import { beforeAll, describe, expect, test } from 'bun:test';
import { openObjectsForReading } from '../../../server/adapters/objects.ts';
import type { FileDetailWire, FileWire } from '../../../server/contract/wire.ts';
import { createBucket, listFiles, signUp, uploadFile } from '../../support/client/api.ts';
import { clip, photo } from '../../support/fixtures/make-media.ts';
import { groupBucket } from '../../support/server/group-server.ts';

const { server, user, bucket } = await groupBucket();
let video: FileWire;
let image: FileWire;

beforeAll(async () => {
  const sizes = { resolution: '320x180,160x90', timeline_preview: 'yes' };
  video = await uploadFile(
    server,
    bucket,
    'video',
    { access: 'private', ...sizes },
    await clip({ seconds: 3 }),
    'crane.mp4',
  );
  image = await uploadFile(
    server,
    bucket,
    'image',
    { access: 'private', webp: 'yes' },
    await photo(),
    'photo.jpg',
  );
});

const get = (path: string, headers: Record<string, string>) =>
  fetch(`${server.url}/files/${path}`, { headers });
const detailOf = async (id: string): Promise<FileDetailWire> =>
  (await get(`${bucket.id}/${id}`, { 'x-api-key': bucket.api_key })).json() as never;

describe('the details of a file', () => {
  test('are those of the list and more, the same for its owner and the API key', async () => {
    const listed = (await listFiles(server, bucket)).data.find(({ id }) => id === video.id);
    const { renditions, attempts, bandwidth, jwt, ...rest } = await detailOf(video.id);
    expect(rest).toEqual(listed as never);
    expect(attempts).toBe(1);
    expect(bandwidth).toEqual({ month: 0, total: 0 });
    expect(rest.embed).toBe(`${server.url}/embed/${bucket.id}/${video.id}`);
    const owner = await get(`${bucket.id}/${video.id}`, user.authorization);
    expect(((await owner.json()) as FileDetailWire).renditions).toEqual(renditions);
    expect(jwt).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  });

  test('name each rendition with its bytes, and a URL that its token opens; the original has none', async () => {
    const { renditions, jwt } = await detailOf(video.id);
    const original = renditions?.find(({ name }) => name === 'original');
    expect(original).toMatchObject({ bytes: video.size, url: null });
    const delivered = renditions?.filter((rendition) => rendition !== original) ?? [];
    expect(delivered.map(({ name }) => name).sort()).toEqual(
      ['160x90', '320x180', 'audio', 'playlists', 'poster', 'previews'].sort(),
    );
    for (const { url, bytes } of delivered) {
      expect(bytes).toBeGreaterThan(0);
      expect((await fetch(url ?? '')).status).toBe(401);
      expect((await fetch(`${url}?jwt=${jwt}`)).status).toBe(200);
    }
    const { prefix } = await server.db
      .selectFrom('media')
      .select('prefix')
      .where('file_id', '=', video.id)
      .executeTakeFirstOrThrow();
    const store = await openObjectsForReading(server.config.storage);
    const sizes = (await Array.fromAsync(store.list(prefix ?? '?'))).map(({ size }) => size);
    const sum = (all: number[]) => all.reduce((one, other) => one + other, 0);
    expect(sum(delivered.map(({ bytes }) => bytes))).toBe(sum(sizes));
  });

  test('carry a token that opens this file and no other', async () => {
    const { jwt } = await detailOf(video.id);
    expect((await fetch(`${image.url}?jwt=${jwt}`)).status).toBe(403);
  });

  test('of an image name what is delivered, and the original that only we have', async () => {
    const { renditions, embed } = await detailOf(image.id);
    expect(embed).toBeNull();
    expect(renditions).toEqual([
      expect.objectContaining({ name: 'delivered', width: 640, height: 480, url: image.url }),
      { name: 'original', width: null, height: null, bytes: image.size, url: null },
    ]);
  });

  test('of a file that failed tell why, and how often it was tried', async () => {
    const whole = await photo();
    const withoutPixels = whole.subarray(0, whole.indexOf(Buffer.from([0xff, 0xda])) + 14);
    const failed = await uploadFile(server, bucket, 'image', {}, withoutPixels, 'broken.jpg');
    expect(await detailOf(failed.id)).toMatchObject({
      status: 'error',
      error: expect.stringMatching(/damaged/),
      attempts: 1,
      renditions: null,
      url: null,
    });
  });

  test('of a file from before renditions were noted say nothing of them', async () => {
    const old = await uploadFile(
      server,
      bucket,
      'image',
      { access: 'public' },
      await photo(),
      'old.jpg',
    );
    const { db } = server;
    await db.updateTable('media').set({ renditions: null }).where('file_id', '=', old.id).execute();
    await db.deleteFrom('jobs').where('subject', '=', old.id).execute();
    expect(await detailOf(old.id)).toMatchObject({ renditions: null, attempts: null });
  });
});

describe('nobody else is told', () => {
  test('strangers, other users, other keys, read and write tokens', async () => {
    const path = `${bucket.id}/${video.id}`;
    const stranger = await signUp(server);
    const theirs = await createBucket(server, stranger.token);
    const mint = async (scope: string) => {
      const minted = await user.client.post(
        `/buckets/jwt/${bucket.id}/0/${scope}`,
        {},
        user.authorization,
      );
      return `Bearer ${((await minted.json()) as { jwt: string }).jwt}`;
    };
    const callers: [number, Record<string, string>][] = [
      [401, {}],
      [404, stranger.authorization],
      [404, { 'x-api-key': theirs.api_key }],
      [401, { authorization: await mint('read') }],
      [401, { authorization: await mint('write') }],
      [401, { cookie: user.client.cookies() }],
    ];
    for (const [status, headers] of callers) {
      expect([headers, (await get(path, headers)).status]).toEqual([headers, status]);
    }
    const key = { 'x-api-key': theirs.api_key };
    expect((await get(`${theirs.id}/${video.id}`, key)).status).toBe(404);
  });

  test('unknown and malformed ids are not found', async () => {
    for (const id of ['0'.repeat(26), 'x', "1'--"]) {
      const response = await get(`${bucket.id}/${id}`, { 'x-api-key': bucket.api_key });
      expect([id, response.status]).toEqual([id, 404]);
    }
  });
});
