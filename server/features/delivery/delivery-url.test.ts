import { expect, test } from 'bun:test';
import { parseDeliveryUrl } from './delivery-url.ts';

const B = '01jwnnsvg0rcan9jrmmh2f51q7';
const F = '01jwnnsvg0axgvn6qtdemh6w3d';
const base = `http://127.0.0.1:3000/cdn/${B}/${F}`;

test('a URL names a bucket, a file, an object one folder deep at most, and maybe a token', () => {
  const target = { bucketId: B, fileId: F, token: null, isDownload: false, parameters: '' };
  expect(parseDeliveryUrl(`${base}/photo.webp`)).toEqual({ ...target, name: 'photo.webp' });
  expect(parseDeliveryUrl(`${base}/1280x720/seg_00001.m4s?x=1&jwt=a.b%2Dc`)).toEqual({
    ...target,
    name: '1280x720/seg_00001.m4s',
    token: 'a.b-c',
    parameters: 'x=1',
  });
  expect(parseDeliveryUrl(`http://user@host/cdn/${B}/${F}/photo.webp?a=/b/c`)).toMatchObject({
    name: 'photo.webp',
    isDownload: false,
  });
  // Of a request without a host.
  const publicPath = `/cdn/${B}/${F}/photo.webp`;
  expect(parseDeliveryUrl(publicPath)).toEqual({ ...target, name: 'photo.webp' });
  expect(parseDeliveryUrl(`${publicPath}?x=//a/&jwt=b`)).toMatchObject({
    name: 'photo.webp',
    token: 'b',
  });
  expect(parseDeliveryUrl(`/x?y=/${publicPath}`)).toBeNull();
  for (const [query, token] of [
    ['jwt=a.b-c_d', 'a.b-c_d'],
    ['jwt=a+b', 'a b'],
    ['jwt=', ''],
    ['jwt=a&jwt=b', 'a'],
    ['jwT=a', null],
  ] as const) {
    expect(parseDeliveryUrl(`${base}/photo.webp?${query}`)?.token).toBe(token);
  }
  for (const query of ['download', 'download=', 'jwt=x&download=1']) {
    expect(parseDeliveryUrl(`${base}/photo.webp?${query}`)?.isDownload).toBe(true);
  }
});

test('what is neither a token nor a download is a parameter', () => {
  const parametersOf = (query: string) =>
    parseDeliveryUrl(`${base}/photo.webp?${query}`)?.parameters;
  expect(parametersOf('w=100&fit=crop')).toBe('w=100&fit=crop');
  expect(parametersOf('jwt=secret&w=100&download')).toBe('w=100');
  expect(parametersOf('jwt=secret&jwt=other')).toBe('');
  expect(parametersOf('jwt=secret&download')).toBe('');
  expect(parametersOf('')).toBe('');
});

for (const url of [
  `${base}`,
  `${base}/`,
  `${base}?/photo.webp`,
  `${base}/photo`,
  `${base}/.webp`,
  `${base}/../original`,
  `${base}/..%2foriginal.webp`,
  `${base}/a/b/photo.webp`,
  `${base}/photo.webp/`,
  `${base}/Photo.webp`,
  `${base}/photo.webp%00`,
  `${base}//photo.webp`,
  `http://127.0.0.1:3000/cdn/${B}/photo.webp`,
  `http://127.0.0.1:3000/cdn/${B}//photo.webp`,
  `http://127.0.0.1:3000/cdn/x/${F}/photo.webp`,
  `http://127.0.0.1:3000/files/${B}/${F}/photo.webp`,
  `http://127.0.0.1:3000/x/cdn/${B}/${F}/photo.webp`,
  'http://127.0.0.1:3000',
  '',
]) {
  test(`${url || 'nothing'} is refused`, () => expect(parseDeliveryUrl(url)).toBeNull());
}
