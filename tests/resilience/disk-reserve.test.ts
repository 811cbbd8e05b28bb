import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { MIB } from '../../server/contract/limits.ts';
import type { FileWire } from '../../server/contract/wire.ts';
import {
  createBucket,
  form,
  requestCode,
  sendFile,
  signUp,
  type TestUser,
  uploadFile,
  waitForFile,
} from '../support/client/api.ts';
import { locationOf, speakTus } from '../support/client/tus.ts';
import { until } from '../support/client/wait.ts';
import { clip, photo } from '../support/fixtures/make-media.ts';
import { type InProcessServer, startServerInProcess } from '../support/server/in-process-server.ts';
import { storedObjects } from '../support/server/stored-objects.ts';
import { fillDisk, smallDisk } from '../support/services/small-disk.ts';

const RESERVE_BYTES = 24 * MIB;
const disk = await smallDisk(64);
afterAll(() => disk?.remove());

describe.skipIf(!disk)('with only the reserve of the disk left', () => {
  const folder = disk?.folder ?? '';
  const filler = join(folder, 'filler');
  let server: InProcessServer;
  let user: TestUser;
  let bucket: { id: string; api_key: string };
  let file: FileWire;

  beforeAll(async () => {
    const env = { DISK_RESERVE_BYTES: String(RESERVE_BYTES) };
    server = await startServerInProcess(env, { dataDir: folder });
    user = await signUp(server);
    bucket = await createBucket(server, user.token);
    file = await uploadFile(server, bucket, 'image', {}, await photo(), 'a.jpg');
  });
  afterAll(() => server.stop());

  const leave = async (bytes: number) => expect(await fillDisk(folder, filler, bytes)).toBe(true);
  const empty = () => rm(filler, { force: true });
  const post = (path: string, body: FormData) =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'x-api-key': bucket.api_key },
      body,
    });

  test('every way to upload is refused, and everything else goes on', async () => {
    const tus = speakTus(server, bucket);
    const [small, video] = [await photo({ width: 64, height: 64 }), await clip({ seconds: 1 })];
    const open = locationOf(await tus.create(video.length));
    const blob = (bytes: Buffer) => new Blob([bytes as never]);
    const chunk = { client_id: 'reserve', chunk_number: '0', total_chunks: '1' };

    await leave(RESERVE_BYTES - MIB);
    const refused = {
      image: await post(`/files/upload/image/${bucket.id}`, form({}, blob(small))),
      chunk: await post(`/files/upload/video/${bucket.id}`, form(chunk, blob(video))),
      probe: await post(`/files/resolution/video/${bucket.id}`, form({}, blob(video))),
      create: await tus.create(1000),
      patch: await tus.patch(open, 0, video),
      transform: await fetch(`${file.url}?width=50`),
    };
    expect(Object.entries(refused).map(([way, { status }]) => [way, status])).toEqual(
      Object.keys(refused).map((way) => [way, 507]),
    );
    expect((await fetch(`${file.url}`)).status).toBe(200);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    const other = await signUp(server);
    await createBucket(server, other.token);
    const gone = await fetch(`${server.url}/files/${bucket.id}/${file.id}`, {
      method: 'DELETE',
      headers: { 'x-api-key': bucket.api_key },
    });
    expect(gone.status).toBe(204);

    await empty();
    expect((await tus.patch(open, 0, video)).status).toBe(204);
  });

  test('an upload that would not fit is refused before its bytes arrive', async () => {
    const tus = speakTus(server, bucket);
    await leave(RESERVE_BYTES + 10 * MIB);
    expect((await tus.create(11 * MIB)).status).toBe(507);
    expect((await tus.create(5 * MIB)).status).toBe(201);
    await empty();
  });

  test('without a free byte, files and buckets are deleted, which makes room again', async () => {
    const ballast = async () => (await stat(join(folder, 'ballast')).catch(() => null))?.size ?? 0;
    const other = await createBucket(server, user.token);
    const video = Buffer.concat([await clip({ seconds: 1 }), Buffer.alloc(MIB)]);
    for (const name of ['b.mp4', 'c.mp4']) await sendFile(server, other, 'video', {}, video, name);
    await server.services.housekeeping.round();
    expect(await ballast()).toBe(RESERVE_BYTES / 4);
    const email_token = await requestCode(server, user, 'delete-bucket', { bucket_id: other.id });
    const gone = await uploadFile(server, bucket, 'image', {}, await photo(), 'd.jpg');

    await leave(0);
    const { status } = await fetch(`${server.url}/files/${bucket.id}/${gone.id}`, {
      method: 'DELETE',
      headers: { 'x-api-key': bucket.api_key },
    });
    expect(status).toBe(204);
    expect(await ballast()).toBe(0);
    const deleted = await user.client.fetch(`/buckets/${other.id}`, {
      method: 'DELETE',
      headers: { ...user.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ email_token }),
    });
    expect(deleted.status).toBe(204);
    const rows = () => server.db.selectFrom('buckets').select('id').where('id', '=', other.id);
    await until(async () => (await rows().execute()).length === 0);
    // The video that was being processed ends after its bucket, and its objects are deleted then.
    const due = server.db.selectFrom('pending_deletes').select('prefix');
    await until(async () => {
      await server.services.housekeeping.round();
      return (await due.where('not_before', '<=', Date.now()).execute()).length === 0;
    });
    const mine = (await storedObjects(server)).filter((key) => key.includes(other.id));
    expect(mine).toEqual([]);
    expect(
      (
        await post(
          `/files/upload/image/${bucket.id}`,
          form({}, new Blob([(await photo()) as never])),
        )
      ).status,
    ).toBe(507);

    await empty();
    await server.services.housekeeping.round();
    expect(await ballast()).toBe(RESERVE_BYTES / 4);
  });

  test('an accepted file waits for space, and is then processed', async () => {
    const image = Buffer.concat([await photo(), Buffer.alloc(4 * MIB)]);
    await leave(RESERVE_BYTES + 6 * MIB);
    const sent = await sendFile(server, bucket, 'image', {}, image, 'b.jpg');
    const postponed = () =>
      server.db
        .selectFrom('jobs')
        .select('attempts')
        .where('subject', '=', sent.id)
        .where('state', '=', 'queued')
        .whereRef('run_at', '>', 'created_at')
        .executeTakeFirst();
    await until(async () => (await postponed()) !== undefined);
    expect(await postponed()).toEqual({ attempts: 0 });
    await empty();
    await server.db.updateTable('jobs').set({ run_at: 0 }).where('subject', '=', sent.id).execute();
    server.services.queue.poll();
    expect(await waitForFile(server, bucket, sent.id)).toMatchObject({ status: 'success' });
  });
});
