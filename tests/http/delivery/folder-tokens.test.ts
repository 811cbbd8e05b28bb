import { expect, test } from 'bun:test';
import type { FileWire } from '../../../server/contract/wire.ts';
import { createToken, uploadFile } from '../../support/client/api.ts';
import { clip, photo } from '../../support/fixtures/make-media.ts';
import { groupBucket } from '../../support/server/group-server.ts';

const { server, user, bucket } = await groupBucket();
const upload = (kind: 'file' | 'image' | 'video', path: string, bytes: Buffer) => {
  const folder = path.slice(0, path.lastIndexOf('/'));
  const fields = { access: 'private', folder, ...(kind === 'video' && { resolution: '320x180' }) };
  return uploadFile(server, bucket, kind, fields, bytes, path.slice(folder.length + 1));
};
const [image, film, text, neighbour] = await Promise.all([
  upload('image', 'photos/2026/a.jpg', await photo()),
  upload('video', 'films/clip.mp4', await clip()),
  upload('file', 'photos/note.txt', Buffer.from('a note')),
  upload('file', 'photos-of-others/note.txt', Buffer.from('not yours')),
]);
const [ofPhotos, ofFilms] = await Promise.all([
  createToken(server, bucket, { prefix: 'photos/' }),
  createToken(server, bucket, { prefix: 'films/' }),
]);

const below = ({ url }: FileWire, name: string) => `${url?.replace(/[^/]+$/, '')}${name}`;
/** Opens an address twice, since the second response is from a cache, which takes another way. */
async function statusOf(address: string | null | undefined, token: string): Promise<number> {
  const url = `${address}${address?.includes('?') ? '&' : '?'}jwt=${token}`;
  const statuses = [];
  for (const _ of [1, 2]) {
    const response = await fetch(url);
    await response.arrayBuffer();
    statuses.push(response.status);
  }
  expect(statuses[0]).toBe(statuses[1]);
  return statuses[0] ?? 0;
}
async function move(file: FileWire, path: string): Promise<void> {
  const response = await fetch(`${server.url}/files/${bucket.id}/${file.id}`, {
    method: 'PATCH',
    headers: { 'x-api-key': bucket.api_key, 'content-type': 'application/json' },
    body: JSON.stringify({ path }),
  });
  expect(response.status).toBe(200);
}

test('a token of a folder opens everything in it, and nothing beside it', async () => {
  const inFilms = [
    film.url,
    film.poster,
    `${film.poster}?width=32`,
    ...['init.mp4', 'seg_00000.m4s', 'playlist.m3u8'].map((name) => below(film, `320x180/${name}`)),
  ];
  const inPhotos = [image.url, `${image.url}?width=32`, text.url];
  // Whichever token comes first fills the caches.
  for (const [first, second] of [
    [ofPhotos, ofFilms],
    [ofFilms, ofPhotos],
  ] as const) {
    for (const token of [first, second]) {
      for (const url of inPhotos)
        expect([url, await statusOf(url, token)]).toEqual([url, token === ofPhotos ? 200 : 403]);
      for (const url of inFilms)
        expect([url, await statusOf(url, token)]).toEqual([url, token === ofFilms ? 200 : 403]);
      for (const url of [image.path_url, `${image.path_url}?width=32`, text.path_url])
        expect([url, await statusOf(url, token)]).toEqual([url, token === ofPhotos ? 200 : 404]);
      const ofVideo = await statusOf(film.path_url, token);
      expect(ofVideo).toBe(token === ofFilms ? 200 : 404);
      expect(await statusOf(neighbour.url, token)).toBe(403);
      expect(await statusOf(neighbour.path_url, token)).toBe(404);
    }
  }
});

test('a playlist names its parts with the token that opened it', async () => {
  const ofBucket = await createToken(server, bucket);
  for (const token of [ofBucket, ofFilms, ofBucket]) {
    const playlist = await (await fetch(`${film.url}?jwt=${token}`)).text();
    expect(playlist).toContain(`jwt=${token}`);
    expect(playlist.split('jwt=').length).toBe(playlist.split(`jwt=${token}`).length);
  }
});

test('a file that leaves the folder is closed at once, and open again where it comes back', async () => {
  const places = [
    [image, 'photos/2026/a.jpg', '?width=32', ofPhotos, ofFilms, 'films/a.jpg'],
    [film, 'films/clip.mp4', '', ofFilms, ofPhotos, 'photos/clip.mp4'],
  ] as const;
  for (const [file, home, query, own, other, away] of places) {
    const at = (path: string) => `${server.url}/cdn/${bucket.id}/~/${path}${query}`;
    const urls = [file.url, `${file.url}${query}`];
    for (const _ of [1, 2]) {
      for (const url of urls) expect(await statusOf(url, own)).toBe(200);
      expect(await statusOf(at(home), own)).toBe(200);
      await move(file, away);
      for (const url of urls) {
        expect([url, await statusOf(url, own)]).toEqual([url, 403]);
        expect([url, await statusOf(url, other)]).toEqual([url, 200]);
      }
      expect(await statusOf(at(home), own)).toBe(404);
      expect(await statusOf(at(away), own)).toBe(404);
      expect(await statusOf(at(away), other)).toBe(200);
      await move(file, home);
      for (const url of urls) expect([url, await statusOf(url, other)]).toEqual([url, 403]);
    }
  }
});

test('a token of a folder and a file opens this file while it is in this folder', async () => {
  const ofText = await createToken(server, bucket, { prefix: 'photos/', fileId: text.id });
  const ofNothing = await createToken(server, bucket, { prefix: 'films/', fileId: text.id });
  expect(await statusOf(text.url, ofText)).toBe(200);
  expect(await statusOf(image.url, ofText)).toBe(403);
  expect(await statusOf(text.url, ofNothing)).toBe(403);
});

test.each([
  [''],
  ['/'],
  ['photos'],
  ['photos//'],
  ['/photos/'],
  ['../'],
  ['photos/../'],
  ['a\u0000/'],
  [`${'a'.repeat(513)}/`],
  [null],
  [7],
  [['photos/']],
])('a token of %j is refused', async (prefix) => {
  const path = `/buckets/jwt/${bucket.id}/0/read`;
  const response = await user.client.post(path, { prefix }, user.authorization);
  expect(response.status).toBe(422);
  expect(await response.text()).toStartWith('prefix must be a folder');
});

test('a token of the longest folder opens what is in it', async () => {
  const folder = '"'.repeat(512);
  const file = await upload('file', `${folder}/a.txt`, Buffer.from('deep'));
  const token = await createToken(server, bucket, { prefix: `${folder}/` });
  expect(await statusOf(file.url, token)).toBe(200);
  expect(await statusOf(text.url, token)).toBe(403);
});

test('a write token of a folder is refused', async () => {
  const path = `/buckets/jwt/${bucket.id}/0/write`;
  const response = await user.client.post(path, { prefix: 'photos/' }, user.authorization);
  expect(response.status).toBe(422);
  expect(await response.text()).toContain('A write token is for the whole bucket.');
});
