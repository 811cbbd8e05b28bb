import { expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { MIB, VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import type { BucketDetailWire, FileWire } from '../../../server/contract/wire.ts';
import { createBucket, form, signUp } from '../../support/client/api.ts';
import { locationOf } from '../../support/client/tus.ts';
import { clipOfSize } from '../../support/fixtures/make-media.ts';
import { rounds } from '../../support/fixtures/torture.ts';
import { startServerProcess } from '../../support/server/server-process.ts';

const SIZE = 200 * MIB;
/** In `npm test` this is enough to tell a body that is buffered from one that is streamed. */
const OF_EACH_KIND = rounds(5, 1);
/** The server alone uses some 100 MiB, and a buffered body would come on top of that. */
const MAX_MEMORY_BYTES = 250 * MIB;

/** Returns the peak memory of a process, as the kernel counts it. */
async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

async function sendChunks(url: string, bucket: BucketDetailWire, id: string, bytes: Buffer) {
  const total = Math.ceil(bytes.length / VIDEO_CHUNK_BYTES);
  for (let number = 0; number < total; number += 1) {
    const from = number * VIDEO_CHUNK_BYTES;
    const response = await fetch(`${url}/files/upload/video/${bucket.id}`, {
      method: 'POST',
      headers: { 'x-api-key': bucket.api_key },
      body: form(
        { client_id: id, chunk_number: String(number), total_chunks: String(total) },
        new Blob([bytes.subarray(from, from + VIDEO_CHUNK_BYTES) as never]),
        'film.mp4',
      ),
    });
    expect(response.status).toBe(number === total - 1 ? 201 : 202);
    if (response.status === 201) expect(((await response.json()) as FileWire).size).toBe(SIZE);
  }
}

async function sendByTus(url: string, bucket: BucketDetailWire, bytes: Buffer) {
  const headers = { 'tus-resumable': '1.0.0', 'x-api-key': bucket.api_key };
  const created = await fetch(`${url}/files/tus/${bucket.id}`, {
    method: 'POST',
    headers: { ...headers, 'upload-length': String(bytes.length) },
  });
  const response = await fetch(locationOf(created), {
    method: 'PATCH',
    headers: {
      ...headers,
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
    },
    body: bytes as never,
  });
  expect(response.status).toBe(204);
  expect(response.headers.get('x-file-id')).toBeTruthy();
}

test('uploads of 200 MiB at once, in chunks and by tus, are not held in memory', async () => {
  const bytes = await clipOfSize(SIZE);
  const server = await startServerProcess({ isQuick: true, env: { LOG_LEVEL: 'error' } });
  try {
    const { token } = await signUp(server);
    const bucket = await createBucket(server, token, 'Memory');
    const numbers = Array.from({ length: OF_EACH_KIND }, (_, index) => index);
    await Promise.all([
      ...numbers.map((index) => sendChunks(server.url, bucket, `memory-${index}`, bytes)),
      ...numbers.map(() => sendByTus(server.url, bucket, bytes)),
    ]);

    expect(await peakOf(server.pid())).toBeLessThan(MAX_MEMORY_BYTES);
  } finally {
    await server.stop();
  }
});
