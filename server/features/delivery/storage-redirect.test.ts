import { expect, test } from 'bun:test';
import { MIB } from '../../contract/limits.ts';
import type { Subject } from './headers.ts';
import { canRedirect, createRedirect } from './storage-redirect.ts';

const subject = (name: string, file: Partial<Subject['file']> = {}): Subject => ({
  name,
  file: {
    id: 'f',
    name: 'a',
    status: 'success',
    file_type: 'image',
    content_type: 'image/webp',
    access: 'public',
    expires_at: null,
    headers: null,
    ...file,
  },
  bucket: { id: 'b', delivery_rules: null, ignores_public: 0 },
  entry: name,
  use: 'inline',
  isByPath: false,
  sitePart: null,
  isByAccept: false,
});
const video = { file_type: 'video' as const };

test('a large public image may be redirected, and nothing else', () => {
  expect(canRedirect(subject('photo.webp'), MIB)).toBe(true);
  const never: [Subject, number][] = [
    [subject('photo.webp'), 1000],
    [subject('photo.webp', { access: 'private' }), MIB],
    [subject('photo.webp', { expires_at: 1 }), MIB],
    [{ ...subject('photo.webp'), use: 'preview' }, MIB],
    [subject('drawing.svg'), MIB],
    [subject('unknown.bin'), MIB],
    [subject('master.m3u8', video), MIB],
    [subject('720/segment.m4s', video), MIB],
    [subject('720/stream.mp4', video), MIB],
    [subject('poster.webp', video), MIB],
    [subject('previews.vtt', video), MIB],
  ];
  for (const [one, size] of never)
    expect([one.name, canRedirect(one, size)]).toEqual([one.name, false]);
});

test('the answer is kept for less long than its link opens, and by whom the image may be', async () => {
  const requests: unknown[] = [];
  const link = async (...how: unknown[]) => {
    requests.push(how);
    return 'https://s3.example/x';
  };
  const headers = new Headers({
    'content-type': 'image/webp',
    'content-disposition': 'inline; filename="a.webp"',
    'cache-control': 'private, max-age=31536000, immutable',
    vary: 'Accept',
  });
  const response = await createRedirect(link, headers);
  expect(response.status).toBe(302);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    location: 'https://s3.example/x',
    'cache-control': 'private, max-age=300',
    vary: 'Accept',
    'x-content-type-options': 'nosniff',
  });
  expect(requests).toEqual([
    [
      600,
      {
        contentType: 'image/webp',
        contentDisposition: 'inline; filename="a.webp"',
        cacheControl: 'private, max-age=31536000, immutable',
      },
    ],
  ]);
});
