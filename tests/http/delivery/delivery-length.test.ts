import { beforeAll, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { MIB } from '../../../server/contract/limits.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { uploadFile } from '../../support/client/api.ts';
import { makeNoise } from '../../support/fixtures/make-media.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';

const { server, bucket } = await groupBucketInProcess();
let file: FileWire;
let size: number;

beforeAll(async () => {
  const noise = await makeNoise(6 * MIB);
  const fields = { access: 'public', webp: '' };
  file = await uploadFile(server, bucket, 'image', fields, noise, 'large.png');
  size = file.size;
});

const requests: [name: string, headers: Record<string, string>, length: () => number][] = [
  ['the whole of a large file', {}, () => size],
  ['a large range of it', { range: `bytes=7-${3 * MIB}` }, () => 3 * MIB - 6],
  ['its end', { range: `bytes=-${2 * MIB}` }, () => 2 * MIB],
  ['a large file for a client that accepts gzip', { 'accept-encoding': 'gzip' }, () => size],
];

test.each(requests)('%s has its length', async (_, headers, length) => {
  const response = await fetch(file.url ?? '', { headers });
  expect(response.headers.get('transfer-encoding')).toBeNull();
  expect(response.headers.get('content-length')).toBe(String(length()));
  expect((await response.arrayBuffer()).byteLength).toBe(length());
});

test('a HEAD of a large file has its length and no body', async () => {
  const response = await fetch(file.url ?? '', { method: 'HEAD' });
  expect(response.headers.get('content-length')).toBe(String(size));
  expect((await response.arrayBuffer()).byteLength).toBe(0);
});

test('a connection carries one large file after another', async () => {
  const { hostname, port, pathname, host } = new URL(file.url ?? '');
  const socket = connect(Number(port), hostname);
  const send = () => socket.write(`GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  send();
  let answers = 0;
  let bytes = Buffer.alloc(0);
  for await (const chunk of socket) {
    bytes = Buffer.concat([bytes, chunk]);
    const end = bytes.indexOf('\r\n\r\n') + 4 + size;
    if (bytes.length < end) continue;
    expect(bytes.length).toBe(end);
    expect(bytes.toString('latin1', 0, 15)).toBe('HTTP/1.1 200 OK');
    bytes = Buffer.alloc(0);
    answers += 1;
    if (answers === 2) break;
    send();
  }
  expect(answers).toBe(2);
});
