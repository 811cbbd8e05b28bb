import { expect, test } from 'bun:test';
import { shareUrl } from './file-url.ts';

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
