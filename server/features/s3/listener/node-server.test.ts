import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, open, readdir, readlink, rm } from 'node:fs/promises';
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
