import { expect, test } from 'bun:test';
import { embedSnippet, shareUrl, viewUrl } from './file-url.ts';

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

test('there is no frame for images, or before there is something to play', () => {
  expect(embedSnippet({ ...video, embed: null }, 'J')).toBeNull();
  expect(embedSnippet({ ...video, status: 'processing' }, 'J')).toBeNull();
});
