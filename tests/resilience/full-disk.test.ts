import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { MIB, VIDEO_CHUNK_BYTES } from '../../server/contract/limits.ts';
import type { FileWire } from '../../server/contract/wire.ts';
import { createBucket, form, signUp, waitForFile } from '../support/client/api.ts';
import { locationOf } from '../support/client/tus.ts';
import { until } from '../support/client/wait.ts';
import { clip, clipOfSize, photo } from '../support/fixtures/make-media.ts';
import { fsck } from '../support/server/command.ts';
import { type InProcessServer, startServerInProcess } from '../support/server/in-process-server.ts';
import { fillDisk, smallDisk } from '../support/services/small-disk.ts';

const disk = await smallDisk(48);
afterAll(() => disk?.remove());

describe.skipIf(!disk)('on a full disk', () => {
  const folder = disk?.folder ?? '';
  const filler = join(folder, 'filler');
  let server: InProcessServer;
  let bucket: { id: string; api_key: string };

  beforeAll(async () => {
    server = await startServerInProcess({ DISK_RESERVE_BYTES: '0' }, { dataDir: folder });
    bucket = await createBucket(server, (await signUp(server)).token);
  });
  afterAll(() => server.stop());

  /** The server may remove a folder while it is read. */
  const filesIn = async (path: string) => {
    const entries = await until(() =>
      readdir(path, { recursive: true, withFileTypes: true }).catch(() => undefined),
    );
    return entries.filter((one) => one.isFile());
  };

  /**
   * Fills the disk except for so many bytes. An earlier upload would make room, because the folder in which
   * it was processed goes after its file is published.
   */
  async function leave(bytes: number) {
    await until(async () => (await isWorkEmpty()) && (await isAllNamed()));
    expect(await fillDisk(folder, filler, bytes)).toBe(true);
  }

  /** Whether no image or video is being processed. Locks of idle decoders lie directly in the folder. */
  async function isWorkEmpty() {
    const work = join(folder, 'work');
    return (
      !existsSync(work) || (await filesIn(work)).every(({ parentPath }) => parentPath === work)
    );
  }

  /** Whether files that have names use all of the space: a deleted file that is open still takes some. */
  async function isAllNamed() {
    const { blocks, bfree, bsize } = await statfs(folder);
    const { stdout } = Bun.spawnSync(['du', '-s', '--block-size=1', folder]);
    return Number.parseInt(stdout.toString(), 10) === (blocks - bfree) * bsize;
  }

  const empty = () => rm(filler, { force: true });

  async function traces() {
    await server.services.housekeeping.round();
    const { db } = server;
    const rows = async (table: 'files' | 'jobs' | 'upload_parts') =>
      (await db.selectFrom(table).selectAll().execute()).length;
    return {
      stored: (await filesIn(join(folder, 'storage'))).length,
      files: await rows('files'),
      jobs: await rows('jobs'),
      pieces: await rows('upload_parts'),
    };
  }

  const key = () => ({ 'x-api-key': bucket.api_key });
  const image = (bytes: Uint8Array) =>
    fetch(`${server.url}/files/upload/image/${bucket.id}`, {
      method: 'POST',
      headers: key(),
      body: form({ access: 'public' }, new Blob([bytes as never]), 'a.jpg'),
    });
  const chunk = (bytes: Uint8Array, number: number, total: number, id = 'full') =>
    fetch(`${server.url}/files/upload/video/${bucket.id}`, {
      method: 'POST',
      headers: key(),
      body: form(
        { client_id: id, chunk_number: String(number), total_chunks: String(total) },
        new Blob([bytes as never]),
        'a.mp4',
      ),
    });
  const tus = (method: string, url: string, more: Record<string, string>, body?: Uint8Array) =>
    fetch(url, {
      method,
      headers: { 'tus-resumable': '1.0.0', ...key(), ...more },
      body: body as never,
    });
  const patch = (url: string, offset: number, bytes: Uint8Array) =>
    tus(
      'PATCH',
      url,
      { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
      bytes,
    );

  /** Expects that a request gets 507 and leaves nothing, and succeeds when there is room. */
  async function refusedThenAccepted(send: () => Promise<Response>, room: number) {
    const before = await traces();
    await leave(room);
    const refused = await send();
    expect([refused.status, (await refused.text()).trim()]).toEqual([
      507,
      'The storage is full. Nothing was saved.',
    ]);
    expect((await fetch(`${server.url}/files/${bucket.id}`, { headers: key() })).status).toBe(200);
    await empty();
    expect(await traces()).toEqual(before);
    return send();
  }

  test('an image is refused with 507 and leaves nothing, and is taken once there is room', async () => {
    const bytes = Buffer.concat([await photo(), Buffer.alloc(4 * MIB)]);
    const response = await refusedThenAccepted(() => image(bytes), 2 * MIB);
    expect(response.status).toBe(201);
    await waitForFile(server, bucket, ((await response.json()) as FileWire).id);
  });

  test('a chunk is refused with 507, and the upload goes on where it was', async () => {
    const bytes = await clipOfSize(VIDEO_CHUNK_BYTES + 3 * MIB);
    expect((await chunk(bytes.subarray(0, VIDEO_CHUNK_BYTES), 0, 2)).status).toBe(202);
    const last = bytes.subarray(VIDEO_CHUNK_BYTES);
    const response = await refusedThenAccepted(() => chunk(last, 1, 2), 2 * MIB);
    expect(response.status).toBe(201);
    const { id } = (await response.json()) as FileWire;
    expect(await waitForFile(server, bucket, id)).toMatchObject({ status: 'success' });
  });

  test('a tus PATCH is refused with 507, its offset stays, and it goes on from there', async () => {
    const bytes = await clipOfSize(6 * MIB);
    const created = await tus('POST', `${server.url}/files/tus/${bucket.id}`, {
      'upload-length': String(bytes.length),
    });
    const url = locationOf(created);
    expect((await patch(url, 0, bytes.subarray(0, MIB))).status).toBe(204);
    const rest = bytes.subarray(MIB);
    const response = await refusedThenAccepted(() => patch(url, MIB, rest), 2 * MIB);
    expect(response.status).toBe(204);
    const id = response.headers.get('x-file-id') ?? '';
    expect(await waitForFile(server, bucket, id)).toMatchObject({
      status: 'success',
      size: bytes.length,
    });
  });

  test('with no room for a row either the answer is 507 all the same', async () => {
    const before = await traces();
    const small = await photo({ width: 64, height: 64 });
    const video = await clip({ seconds: 1 });
    await leave(0);
    const length = { 'upload-length': '1000' };
    const responses = [
      await image(small),
      await chunk(video, 0, 1, 'other'),
      await tus('POST', `${server.url}/files/tus/${bucket.id}`, length),
    ];
    expect(responses.map(({ status }) => status)).toEqual([507, 507, 507]);
    await empty();
    expect(await traces()).toEqual(before);
    expect((await image(small)).status).toBe(201);
    expect((await fsck(folder)).findings).toEqual([]);
  });
});
