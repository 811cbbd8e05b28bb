import { expect, test } from 'bun:test';
import { downloadUrl, embedSnippet, expiryOf, shareUrl, viewUrl } from './file-url.ts';

const url = 'https://cdn.example/b/f/photo.jpg';

test('a public file is shared as it is', () => {
  expect(shareUrl({ access: 'public', status: 'success', url }, 'J')).toBe(url);
});

test('a private file takes the token along', () => {
  const file = { access: 'private', status: 'success', url } as const;
  expect(shareUrl(file, 'J')).toBe(`${url}?jwt=J`);
  expect(shareUrl({ ...file, url: `${url}?w=100` }, 'J')).toBe(`${url}?w=100&jwt=J`);
});

test('a file that is not done has no URL to share', () => {
  expect(shareUrl({ access: 'public', status: 'processing', url }, 'J')).toBeNull();
  expect(shareUrl({ access: 'public', status: 'error', url: null }, 'J')).toBeNull();
});

const video = {
  file_type: 'video',
  access: 'private',
  status: 'success',
  url: 'https://cdn.example/b/f/master.m3u8',
  embed: 'https://wharf.example/embed/b/f',
  name: '"><script>alert(1)</script>&.mp4',
  width: 1280,
  height: 720,
} as const;

test('a video is seen in its player, an image by itself', () => {
  expect(viewUrl(video, 'J')).toBe(`${video.embed}?jwt=J`);
  expect(viewUrl({ ...video, access: 'public', embed: null, url }, 'J')).toBe(url);
  expect(viewUrl({ ...video, status: 'processing' }, 'J')).toBeNull();
});

test('a frame has the video’s shape and the token of a private one', () => {
  const snippet = embedSnippet(video, 'J') ?? '';
  expect(snippet).toStartWith(`<iframe src="${video.embed}?jwt=J" `);
  expect(snippet).toContain('width="640" height="360"');
  expect(embedSnippet({ ...video, access: 'public' }, 'J')).not.toContain('jwt');
});

test('no name of a file gets out of its attribute', () => {
  const snippet = embedSnippet(video, 'J') ?? '';
  expect(snippet).not.toContain('<script');
  expect(snippet).toContain('title="&quot;>&lt;script>alert(1)&lt;/script>&amp;.mp4"');
});

test('an image is embedded as itself, and nothing before it is ready', () => {
  const image = { ...video, embed: null, url, name: 'a "b".jpg', access: 'public' } as const;
  expect(embedSnippet(image, 'J')).toBe(
    `<img src="${url}" alt="a &quot;b&quot;" width="1280" height="720" loading="lazy">`,
  );
  expect(embedSnippet({ ...image, width: null }, 'J')).not.toContain('width');
  expect(embedSnippet({ ...image, status: 'processing' }, 'J')).toBeNull();
  expect(embedSnippet({ ...video, status: 'processing' }, 'J')).toBeNull();
});

test('a file of another type is not embedded', () => {
  const file = { ...video, embed: null, url, file_type: 'file' } as const;
  expect(embedSnippet(file, 'J')).toBeNull();
  expect(downloadUrl(file, 'J')).toBe(`${url}?download&jwt=J`);
});

test('an image is downloaded with its token; a video, which is many files, is not', () => {
  const image = { ...video, embed: null, url };
  expect(downloadUrl(image, 'J')).toBe(`${url}?download&jwt=J`);
  expect(downloadUrl({ ...image, access: 'public' }, 'J')).toBe(`${url}?download`);
  expect(downloadUrl(video, 'J')).toBeNull();
  expect(downloadUrl({ ...image, status: 'error' }, 'J')).toBeNull();
});

test('a token tells when it expires', () => {
  const claims = Buffer.from('{"exp":1800000000,"file":"ÿ?>"}').toString('base64url');
  expect(expiryOf(`e30.${claims}.s`)).toEqual(new Date(1_800_000_000_000));
});

test('a URL without a host is shared with that of the page', () => {
  const page = globalThis.location;
  globalThis.location = { origin: 'https://files.example' } as Location;
  const image = { ...video, embed: null, url: '/cdn/b/f/a.jpg' };
  expect(shareUrl(image, 'J')).toBe('https://files.example/cdn/b/f/a.jpg?jwt=J');
  globalThis.location = page;
});
