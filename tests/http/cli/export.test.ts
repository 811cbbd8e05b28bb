import { afterAll, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { hasCeph } from '../../../scripts/setup/test-programs.mjs';
import { MIB } from '../../../server/contract/limits.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { createBucket, form, signUp, uploadFile } from '../../support/client/api.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { runCommand } from '../../support/server/command.ts';
import { sharedServer } from '../../support/server/server.ts';
import { KEYS, startRgw } from '../../support/services/rgw.ts';

const server = await sharedServer();
const user = await signUp(server);
const folder = await mkdtemp(join(tmpdir(), 'wharf-export-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const { database, storage } = server.config;
const env = {
  DATA_DIR: server.dataDir,
  ...(database.kind === 'postgres' && { DATABASE_URL: database.url }),
  ...(storage.home.kind === 's3' && { STORAGE_URL: process.env.STORAGE_URL ?? '' }),
  ...{ REMOTE_ACCESS_KEY_ID: KEYS.accessKeyId, REMOTE_SECRET_ACCESS_KEY: KEYS.secretAccessKey },
};
const run = (...args: string[]) => runCommand(['export', ...args], env);

type Bucket = Awaited<ReturnType<typeof createBucket>>;
async function put({ id, api_key }: Bucket, path: string, bytes: Uint8Array | string) {
  const response = await fetch(`${server.url}/files/upload/file/${id}`, {
    method: 'POST',
    headers: { 'x-api-key': api_key },
    body: form({ path, on_conflict: 'replace' }, new Blob([bytes as never]), 'a'),
  });
  expect(response.status).toBe(201);
  return (await response.json()) as FileWire;
}

/** Returns the bytes of all files below a folder by their paths. */
async function filesBelow(root: string) {
  const files = new Map<string, Buffer>();
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(root.length + 1), await readFile(path));
  }
  return files;
}

describe('wharf export', () => {
  test('writes all files to a folder, and what is there not again', async () => {
    const bucket = await createBucket(server, user.token);
    const large = randomBytes(3 * MIB);
    await put(bucket, 'größe/large.bin', large);
    await put(bucket, 'empty', '');
    await put(bucket, 'notes/a.txt', 'first');
    // A folder can't have a file and a folder of one name.
    await put(bucket, 'empty/below.txt', 'below');
    const image = await photo();
    await uploadFile(server, bucket, 'image', { optimize: 'no' }, image, 'harbour.jpg');

    const root = join(folder, 'first');
    const first = await run(bucket.id, root);
    expect(first.stdout).toMatch(
      /^4 files exported \(3\.\d\d MiB\), 0 already there, 1 failed\.\n$/,
    );
    expect([first.status, first.stderr.split(':')[0]]).toEqual([1, 'empty/below.txt']);
    const files = await filesBelow(root);
    expect([...files.keys()].sort()).toEqual(
      ['empty', 'größe/large.bin', 'harbour.jpg', 'notes/a.txt'].sort(),
    );
    expect(files.get('größe/large.bin')?.equals(large)).toBe(true);
    expect(files.get('harbour.jpg')?.equals(image)).toBe(true);

    await fetch(`${server.url}/files/${bucket.id}/${(await put(bucket, 'gone', '')).id}`, {
      method: 'DELETE',
      headers: user.authorization,
    });
    const again = await run(bucket.id, root);
    expect(again.stdout).toBe('0 files exported (0.00 KiB), 4 already there, 1 failed.\n');
  });

  test('says what is wrong with its arguments, and writes nothing', async () => {
    for (const [args, text] of [
      [[], 'Use: export'],
      [['nothing'], 'Use: export'],
      [['nothing', 's3://'], 'Use: export'],
      [['nothing', join(folder, 'none')], 'There is no bucket with the id nothing.'],
    ] as const) {
      const { status, stderr } = await run(...args);
      expect([status, stderr]).toEqual([1, expect.stringContaining(text)]);
    }
    expect(await readdir(folder)).not.toContain('none');
  });

  test.skipIf(!hasCeph())('writes all files to another S3 server with their types', async () => {
    const rgw = await startRgw();
    if (!rgw) throw new Error('Ceph is installed and does not start.');
    const { settings } = await rgw.bucket();
    const client = new S3Client({
      ...{ endpoint: rgw.url, region: 'us-east-1', credentials: KEYS, forcePathStyle: true },
    });
    const bucket = await createBucket(server, user.token);
    const large = randomBytes(6 * MIB);
    const { id } = await put(bucket, 'large.bin', large);
    // An object in parts counts as there only if it is newer than the file, and S3 tells whole seconds.
    const created_at = Date.now() - 2000;
    await server.db.updateTable('files').set({ created_at }).where('id', '=', id).execute();
    const small = await put(bucket, 'a b+ü.txt', 'small');
    await fetch(`${server.url}/files/${bucket.id}/${small.id}`, {
      method: 'PATCH',
      headers: { ...user.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ metadata: { owner: 'Ana' } }),
    });
    const target = [bucket.id, `s3://${settings.bucket}/copy`, '--endpoint', rgw.url];
    const first = await run(...target);
    expect([first.status, first.stdout, first.stderr]).toEqual([
      ...[0, '2 files exported (6.00 MiB), 0 already there, 0 failed.\n', ''],
    ]);
    const list = await client.send(new ListObjectsV2Command({ Bucket: settings.bucket }));
    expect(list.Contents?.map(({ Key }) => Key)).toEqual(['copy/a b+ü.txt', 'copy/large.bin']);
    const get = async (Key: string) =>
      client.send(new GetObjectCommand({ Bucket: settings.bucket, Key }));
    const text = await get('copy/a b+ü.txt');
    expect([text.ContentType, text.Metadata, await text.Body?.transformToString()]).toEqual([
      ...['text/plain; charset=utf-8', { owner: 'Ana' }, 'small'],
    ]);
    const bytes = await (await get('copy/large.bin')).Body?.transformToByteArray();
    expect(Buffer.from(bytes ?? []).equals(large)).toBe(true);
    await put(bucket, 'a b+ü.txt', 'other');
    expect((await run(...target)).stdout).toBe(
      '1 file exported (0.00 KiB), 1 already there, 0 failed.\n',
    );
  });
});
