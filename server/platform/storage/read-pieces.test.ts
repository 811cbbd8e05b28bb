import { afterAll, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPieces } from './read-pieces.ts';

const folder = await mkdtemp(join(tmpdir(), 'wharf-pieces-'));
afterAll(() => rm(folder, { recursive: true }));
const bytes = randomBytes(1_000_000);

async function fileOf(name: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}
const read = async (stream: ReadableStream<Uint8Array>) =>
  Buffer.from(await new Response(stream).arrayBuffer());
/** Whether this process has a file open. */
async function isOpen(path: string): Promise<boolean> {
  const links = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`));
  return (await Promise.allSettled(links)).some(
    (link) => link.status === 'fulfilled' && link.value.startsWith(path),
  );
}

test.each([
  [0, 1_000_000],
  [5, 6],
  [131_071, 131_073],
  [999_990, 1_000_000],
  [7, 7],
])('the bytes from %d to %d are read, in pieces of at most 128 KiB', async (start, end) => {
  const path = await fileOf('range');
  expect((await read(readPieces(path, { start, end }))).equals(bytes.subarray(start, end))).toBe(
    true,
  );
  for await (const piece of readPieces(path, { start, end }) as never as AsyncIterable<Uint8Array>)
    expect(piece.length).toBeLessThanOrEqual(128 * 1024);
  expect(await isOpen(path)).toBe(false);
});

test('a file that is deleted while it is read is read to its end, and closed', async () => {
  const path = await fileOf('deleted');
  const reader = readPieces(path, { start: 0, end: bytes.length }).getReader();
  const parts = [(await reader.read()).value];
  await rm(path);
  for (let part = await reader.read(); !part.done; part = await reader.read())
    parts.push(part.value);
  expect(Buffer.concat(parts.filter((part) => part !== undefined)).equals(bytes)).toBe(true);
  expect(await isOpen(path)).toBe(false);
});

test('a reader that leaves closes the file, and a missing one fails', async () => {
  const path = await fileOf('left');
  const reader = readPieces(path, { start: 0, end: bytes.length }).getReader();
  await reader.read();
  expect(await isOpen(path)).toBe(true);
  await reader.cancel();
  expect(await isOpen(path)).toBe(false);
  const missing = readPieces(join(folder, 'none'), { start: 0, end: 1 });
  await expect(read(missing)).rejects.toThrow('ENOENT');
});

test('a stream that somebody has left in the middle closes its file once it is collected', async () => {
  const path = await fileOf('forgotten');
  const leave = async () =>
    void (await readPieces(path, { start: 0, end: bytes.length }).getReader().read());
  for (let n = 0; n < 10; n += 1) await leave();
  expect(await isOpen(path)).toBe(true);
  while (await isOpen(path)) {
    Bun.gc(true);
    await Bun.sleep(1);
  }
});
