import { describe, expect, test } from 'bun:test';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { KIB, MIB } from '../../../server/contract/limits.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { uploadFile } from '../../support/client/api.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';
import { isOnS3 } from '../../support/server/test-engine.ts';

const { server, bucket } = await sharedBucketInProcess();

/** Cuts the stored object that a file is delivered from. */
async function damage({ id }: FileWire, left: number): Promise<void> {
  const row = await server.services.files.forDelivery(id);
  await truncate(join(server.dataDir, 'storage/objects', `${row?.prefix}${row?.entry}`), left);
}

async function plain(bytes: number): Promise<FileWire> {
  const body = new Blob([Buffer.alloc(bytes, 'x')]);
  return uploadFile(server, bucket, 'file', { access: 'public' }, body, 'a.bin');
}

const image = async (): Promise<FileWire> =>
  uploadFile(server, bucket, 'image', { access: 'public', webp: 'yes' }, await photo(), 'a.jpg');

const REQUESTS: RequestInit[] = [
  {},
  { method: 'HEAD' },
  { headers: { range: 'bytes=0-9' } },
  { headers: { 'accept-encoding': 'gzip' } },
];

// The file of an object is cut off, which is on this machine with a disk only.
describe.skipIf(isOnS3)('a file whose stored object has lost its end', () => {
  test.each([
    ['a small file', () => plain(20 * KIB), 10 * KIB],
    ['a file of some size', () => plain(MIB), 300 * KIB],
    ['a processed image', image, 100],
  ] as const)('is an error, and no shorter file: %s', async (_, make, left) => {
    const file = await make();
    await damage(file, left);
    for (const url of [file.url, file.path_url]) {
      for (const init of REQUESTS) {
        const response = await fetch(url ?? '', init);
        expect(response.status).toBe(500);
        expect(response.headers.get('cache-control') ?? 'no-store').toContain('no-store');
      }
    }
  });

  test('is delivered again once it is restored', async () => {
    const file = await plain(MIB);
    await damage(file, KIB);
    expect((await fetch(file.url ?? '')).status).toBe(500);
    await damage(file, MIB);
    const response = await fetch(file.url ?? '');
    expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, MIB]);
  });
});
