import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, open, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../../tests/support/client/wait.ts';
import { MIB } from '../../../contract/limits.ts';
import { readPieces } from '../../../platform/storage/read-pieces.ts';
import { createS3Server } from './node-server.ts';

const BYTES = 200 * MIB;
const folder = await mkdtemp(join(tmpdir(), 'wharf-s3-'));
const path = join(folder, 'object');
const file = await open(path, 'w');
await file.truncate(BYTES);
await file.close();
const server = createS3Server({
  handle: async () => ({
    status: 200,
    headers: { 'content-length': String(BYTES) },
    body: readPieces(path, { start: 0, end: BYTES }),
  }),
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

/** Returns how often this process has the object open. */
async function countOpen(): Promise<number> {
  const links = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`));
  const targets = await Promise.allSettled(links);
  return targets.filter((one) => one.status === 'fulfilled' && one.value === path).length;
}

test.each(['destroy', 'resetAndDestroy'] as const)(
  'the object of a client that leaves by %s, whether it reads or not, is closed',
  async (leave) => {
    const reading = connect(port, '127.0.0.1');
    const silent = connect(port, '127.0.0.1');
    for (const socket of [reading, silent]) {
      socket.on('error', () => {});
      socket.write('GET /bucket/key HTTP/1.1\r\nhost: x\r\n\r\n');
    }
    silent.pause();
    await new Promise((resolve) => reading.once('data', resolve));
    await until(async () => (await countOpen()) === 2);
    for (const socket of [reading, silent]) socket[leave]();
    await until(async () => (await countOpen()) === 0);
    expect(server.listening).toBe(true);
  },
);

test('each byte arrives as it is, although its memory is freed, also at clients that read in fits', async () => {
  const bytes = new Uint8Array(24 * MIB);
  for (let at = 0; at < bytes.length; at += 65_536) {
    crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  }
  const random = join(folder, 'random');
  await writeFile(random, bytes);
  const own = createS3Server({
    handle: async () => ({
      status: 200,
      headers: { 'content-length': String(bytes.length) },
      body: readPieces(random, { start: 0, end: bytes.length }),
    }),
  });
  await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve));
  const expected = new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
  const hashOf = async () => {
    const socket = connect((own.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET /bucket/key HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    const pieces: Buffer[] = [];
    for await (const piece of socket) {
      pieces.push(piece as Buffer);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const response = Buffer.concat(pieces);
    const body = response.subarray(response.indexOf('\r\n\r\n') + 4);
    return new Bun.CryptoHasher('sha256').update(body).digest('hex');
  };
  const hashes = await Promise.all(Array.from({ length: 6 }, hashOf));
  own.close();
  expect(new Set(hashes)).toEqual(new Set([expected]));
});
