import { describe, expect, test } from 'bun:test';
import type { FileWire } from '../../../server/contract/wire.ts';
import {
  createBucket,
  createToken,
  form,
  signUp,
  uploadFile,
  uploadImage,
} from '../../support/client/api.ts';
import { clip, photo } from '../../support/fixtures/make-media.ts';
import { groupBucket } from '../../support/server/group-server.ts';

const { server, user, bucket } = await groupBucket();
const key = { 'x-api-key': bucket.api_key };

async function put(path: string, text: string, fields: Record<string, string> = {}) {
  const body = form({ path, on_conflict: 'replace', ...fields }, new Blob([text]), 'a.txt');
  const url = `${server.url}/files/upload/file/${bucket.id}`;
  const response = await fetch(url, { method: 'POST', body, headers: key });
  expect(response.status).toBe(201);
  return (await response.json()) as FileWire;
}
const at = (path: string, init?: RequestInit) =>
  fetch(`${server.url}/cdn/${bucket.id}/~/${path}`, { redirect: 'manual', ...init });

describe('the address by path', () => {
  test('opens what is there, for a minute in caches, with an ETag and ranges', async () => {
    const file = await put('notes/one.txt', 'the first text');
    expect(file.path_url).toBe(`${server.config.cdnUrl}/${bucket.id}/~/notes/one.txt`);
    const response = await fetch(file.path_url ?? '');
    expect([response.status, await response.text()]).toEqual([200, 'the first text']);
    expect(response.headers.get('cache-control')).toBe('public, max-age=60');
    expect(response.headers.get('content-disposition')).toBe('inline; filename="one.txt"');
    const etag = response.headers.get('etag') ?? '';
    const again = await at('notes/one.txt', { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
    const part = await at('notes/one.txt', { headers: { range: 'bytes=4-8' } });
    expect([part.status, await part.text()]).toEqual([206, 'first']);
    const head = await at('notes/one.txt', { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe('14');
  });

  test('opens the new file at once where one is replaced, and nothing where it is deleted', async () => {
    await put('page.txt', 'old');
    for (let n = 0; n < 3; n += 1) expect(await (await at('page.txt')).text()).toBe('old');
    const { id } = await put('page.txt', 'new');
    expect(await (await at('page.txt')).text()).toBe('new');
    const url = `${server.url}/files/${bucket.id}/${id}`;
    expect((await fetch(url, { method: 'DELETE', headers: key })).status).toBe(204);
    expect((await at('page.txt')).status).toBe(404);
  });

  test('takes any characters, encoded once', async () => {
    const path = 'Grüße & co/100% #1?.txt';
    const file = await put(path, 'odd');
    expect(await (await fetch(file.path_url ?? '')).text()).toBe('odd');
    expect(await (await at(encodeURIComponent(path))).text()).toBe('odd');
    await put('a%2Fb.txt', 'literal');
    expect((await at('a%2Fb.txt')).status).toBe(404);
    expect(await (await at('a%252Fb.txt')).text()).toBe('literal');
    for (const wrong of ['%ff', '%', '', 'a%00b', '%2e%2e/x', 'Notes/one.txt']) {
      expect((await at(wrong)).status).toBe(404);
    }
    expect((await fetch(`${server.url}/cdn/${bucket.id}/~`)).status).toBe(404);
  });

  test('of a private file needs its token, and is unknown without', async () => {
    await put('secret.txt', 'secret', { access: 'private' });
    expect((await at('secret.txt')).status).toBe(404);
    expect((await at('secret.txt?jwt=wrong')).status).toBe(404);
    const token = await createToken(server, bucket);
    const response = await at(`secret.txt?jwt=${token}`);
    expect([response.status, await response.text()]).toEqual([200, 'secret']);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    const stranger = await signUp(server);
    const other = await createBucket(server, stranger.token);
    const theirs = await createToken(server, other);
    expect((await at(`secret.txt?jwt=${theirs}`)).status).toBe(404);
  });

  test('of an image takes transforms, and of a video leads to its playlist', async () => {
    const photoFile = new File([(await photo()) as never], 'photo.jpg');
    const image = await uploadImage(server, bucket, photoFile);
    const small = await fetch(`${image.path_url}?width=16&format=png`);
    expect([small.status, small.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(small.headers.get('cache-control')).toBe('public, max-age=60');
    // A shared cache that ignores Vary would send it to clients that can't show it.
    const auto = await fetch(`${image.path_url}?width=16&format=auto`);
    expect(auto.headers.get('cache-control')).toBe('private, max-age=60');
    const video = await uploadFile(server, bucket, 'video', {}, await clip(), 'clip.mp4');
    const response = await fetch(`${video.path_url}?jwt=x`, { redirect: 'manual' });
    expect(response.status).toBe(302);
    const playlist = new URL(video.url ?? '').pathname;
    expect(response.headers.get('location')).toBe(`${playlist}?jwt=x`);
    expect(response.headers.get('cache-control')).toBe('public, max-age=60');
    expect(response.headers.get('cache-tag')).toBe(`${bucket.id},${video.id}`);
  });

  test('is kept by caches as long as its bucket says, at once in every response by path', async () => {
    const setAge = async (path_max_age: number) => {
      const response = await fetch(`${server.url}/buckets/delivery-rules/${bucket.id}`, {
        method: 'PUT',
        headers: { ...user.authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ path_max_age }),
      });
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ path_max_age });
    };
    const picture = await uploadImage(
      server,
      bucket,
      new File([(await photo()) as never], 'b.jpg'),
    );
    const video = await uploadFile(server, bucket, 'video', {}, await clip(), 'kept.mp4');
    const text = await put('kept.txt', 'kept');
    const hidden = await put('kept-private.txt', 'kept', { access: 'private' });
    const token = await createToken(server, bucket);
    const cacheControls = async () => {
      const urls = [
        text.path_url,
        `${picture.path_url}?width=16`,
        `${picture.path_url}?width=16&format=auto`,
        video.path_url,
        `${hidden.path_url}?jwt=${token}`,
        text.url,
      ];
      const found = [];
      for (const url of urls) {
        const { headers } = await fetch(url ?? '', { redirect: 'manual' });
        found.push(headers.get('cache-control'));
      }
      return found;
    };
    for (const age of [60, 0, 31_536_000, 60]) {
      await setAge(age);
      const shared = `public, max-age=${age}`;
      expect(await cacheControls()).toEqual([
        ...[shared, shared, `private, max-age=${age}`, shared],
        'private, no-store',
        'public, max-age=31536000, immutable',
      ]);
    }
  });

  test('of a private video leads nobody to its playlist from a cache', async () => {
    const fields = { access: 'private' };
    const video = await uploadFile(server, bucket, 'video', fields, await clip(), 'own.mp4');
    const token = await createToken(server, bucket);
    const response = await fetch(`${video.path_url}?jwt=${token}`, { redirect: 'manual' });
    expect(response.status).toBe(302);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
  });
});
