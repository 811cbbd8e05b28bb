import { expect, test } from 'bun:test';
import { MIB } from '../../contract/limits.ts';
import { respondWith } from './respond.ts';

const size = MIB;
const blob = new Blob([new Uint8Array(size)]);
const source = { size, body: () => blob, modifiedAt: null };
const plain = { ...source, etag: '"hash"', headers: new Headers({ etag: '"hash"' }) };
const link = async () => 'https://s3.example/x';

const answers: [
  name: string,
  init: RequestInit,
  isLinked: boolean,
  status: number,
  sent: number,
][] = [
  ['a GET', {}, false, 200, size],
  ['a HEAD', { method: 'HEAD' }, false, 200, 0],
  ['a HEAD of what is redirected', { method: 'HEAD' }, true, 200, 0],
  ['a copy that is current', { headers: { 'if-none-match': '"hash"' } }, false, 304, 0],
  // The link opens the whole object, whatever range was requested.
  ['a range of what is redirected', { headers: { range: 'bytes=0-0' } }, true, 206, 1],
  // Whoever does not follow it gets nothing, so it must not cost the owner the whole object.
  ['a redirect', {}, true, 302, 0],
];

test.each(answers)('%s counts the bytes that leave', async (_, init, isLinked, status, sent) => {
  let counted = 0;
  const uncompressed = isLinked ? { ...plain, link } : plain;
  const response = await respondWith(
    new Request('http://wharf.example/cdn/b/f/a.jpg', init),
    { uncompressed, packed: null },
    (bytes) => {
      counted += bytes;
    },
  );
  expect([response.status, counted]).toEqual([status, sent]);
});
