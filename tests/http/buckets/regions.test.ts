import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { FileWire } from '../../../server/contract/wire.ts';
import {
  createBucket,
  form,
  signUp,
  type TestUser,
  uploadFile,
  waitForFile,
} from '../../support/client/api.ts';
import { locationOf } from '../../support/client/tus.ts';
import { until } from '../../support/client/wait.ts';
import { clip, photo } from '../../support/fixtures/make-media.ts';
import { findingsOf } from '../../support/server/findings.ts';
import {
  type InProcessServer,
  startServerInProcess,
} from '../../support/server/in-process-server.ts';
import { type Rgw, startRgw } from '../../support/services/rgw.ts';

const rgw = await startRgw();
const CDN = 'https://oceania.example';

type Bucket = { id: string; api_key: string };

const makeBucketIn = (server: InProcessServer, user: TestUser, region: string) =>
  createBucket(server, user.token, region, region);

test('without regions of their own all six are this server, which it says', async () => {
  const server = await startServerInProcess();
  const user = await signUp(server);
  const response = await fetch(`${server.url}/buckets/regions`, { headers: user.authorization });
  expect(await response.json()).toEqual({ regions_with_storage: [] });
  expect((await fetch(`${server.url}/buckets/regions`)).status).toBe(401);
  const bucket = await makeBucketIn(server, user, 'OC');
  const file = await uploadFile(server, bucket, 'image', {}, await photo(), 'a.jpg');
  expect(file.url).toStartWith(`${server.url}/cdn/`);
  expect((await fetch(file.url ?? '')).status).toBe(200);
  await server.stop();
});

describe.skipIf(!rgw)('a region with storage and a delivery host of its own', () => {
  const gateway = rgw as Rgw;
  let server: InProcessServer;
  let user: TestUser;
  let separate: Bucket;
  let here: Bucket;
  let env: Record<string, string>;

  beforeAll(async () => {
    const storage = (await gateway.bucket()).url;
    env = { REGIONS: JSON.stringify({ OC: { storage, cdn: CDN } }) };
    server = await startServerInProcess(env);
    user = await signUp(server);
    separate = await makeBucketIn(server, user, 'OC');
    here = await makeBucketIn(server, user, 'WEUR');
  });
  afterAll(() => server.stop());

  const keysBelow = async (prefix: string) =>
    (await Array.fromAsync(server.services.objects.list(prefix))).map(({ key }) => key).toSorted();
  const deliver = (url: string) =>
    fetch(url.replace(CDN, `${server.url}/cdn`), { headers: { host: new URL(CDN).host } });
  const key = () => ({ 'x-api-key': separate.api_key });

  test('is told by name', async () => {
    const response = await fetch(`${server.url}/buckets/regions`, { headers: user.authorization });
    expect(await response.json()).toEqual({ regions_with_storage: ['OC'] });
  });

  test('holds all that is uploaded to its buckets, and nothing of others', async () => {
    const image = await uploadFile(
      server,
      separate,
      'image',
      { webp: 'yes' },
      await photo(),
      'a.jpg',
    );
    const film = await uploadFile(
      server,
      separate,
      'video',
      { resolution: '160x90' },
      await clip({ seconds: 1 }),
      'b.mp4',
    );
    const other = await uploadFile(server, here, 'image', {}, await photo(), 'c.jpg');
    expect(image.url).toStartWith(`${CDN}/${separate.id}/`);
    for (const file of [image, film]) {
      expect((await keysBelow(`OC/f/${separate.id}/${file.id}/`)).length).toBeGreaterThan(0);
      expect((await deliver(file.url ?? '')).status).toBe(200);
    }
    expect((await deliver(`${image.url}?width=50`)).status).toBe(200);
    expect((await keysBelow(`OC/f/${separate.id}/${image.id}/d/`)).length).toBe(1);
    expect(await keysBelow(`OC/o/${separate.id}/${image.id}/`)).toHaveLength(1);
    expect(await keysBelow(`f/${separate.id}/`)).toEqual([]);
    expect(other.url).toStartWith(`${server.url}/cdn/`);
    expect(await keysBelow(`f/${here.id}/`)).toHaveLength(1);
    expect(
      (await fetch(`${server.url}/login`, { headers: { host: new URL(CDN).host } })).status,
    ).toBe(404);
  });

  test('holds the pieces of unfinished uploads too, until they are stopped', async () => {
    const bytes = await clip({ seconds: 2 });
    await server.services.housekeeping.round();
    // The original of a video stays where its upload was.
    const before = await keysBelow('OC/u/');
    const created = await fetch(`${server.url}/files/tus/${separate.id}`, {
      method: 'POST',
      headers: {
        ...key(),
        'tus-resumable': '1.0.0',
        'upload-length': String(bytes.length),
        'content-type': 'application/offset+octet-stream',
      },
      body: bytes.subarray(0, 5000) as never,
    });
    const chunk = await fetch(`${server.url}/files/upload/video/${separate.id}`, {
      method: 'POST',
      headers: key(),
      body: form(
        { client_id: 'one', chunk_number: '1', total_chunks: '2' },
        new Blob([bytes as never]),
      ),
    });
    expect([created.status, chunk.status]).toEqual([201, 202]);
    expect(await keysBelow('OC/u/')).toHaveLength(before.length + 2);
    const stopped = await fetch(locationOf(created), {
      method: 'DELETE',
      headers: { ...key(), 'tus-resumable': '1.0.0' },
    });
    const other = `${server.url}/files/upload/video/${separate.id}/one`;
    const deleted = await fetch(other, { method: 'DELETE', headers: key() });
    expect([stopped.status, deleted.status]).toEqual([204, 204]);
    await server.services.housekeeping.round();
    expect(await keysBelow('OC/u/')).toEqual(before);
  });

  test('loses what is deleted, and the audit knows both storages', async () => {
    const file = await uploadFile(
      server,
      separate,
      'image',
      { webp: 'yes' },
      await photo(),
      'd.jpg',
    );
    const deleted = await fetch(`${server.url}/files/${separate.id}/${file.id}`, {
      method: 'DELETE',
      headers: key(),
    });
    expect(deleted.status).toBe(204);
    await server.services.housekeeping.round();
    expect(await keysBelow(`OC/f/${separate.id}/${file.id}/`)).toEqual([]);
    expect(await keysBelow(`OC/o/${separate.id}/${file.id}/`)).toEqual([]);
    expect(await findingsOf(server.config)).toEqual([]);
  });

  test('a file from before the region had storage stays where it is, and is found there', async () => {
    const before = await startServerInProcess();
    const owner = await signUp(before);
    const bucket = await makeBucketIn(before, owner, 'OC');
    const { id, url } = await uploadFile(before, bucket, 'image', {}, await photo(), 'e.jpg');
    const { dataDir } = before;
    const copy = await Bun.file(`${dataDir}/secret`).text();
    await before.services.close();
    const after = await startServerInProcess({ ...env, APP_SECRET: copy }, { dataDir });
    const path = new URL(url ?? '').pathname;
    expect((await fetch(`${after.url}${path}`)).status).toBe(200);
    const removed = await fetch(`${after.url}/files/${bucket.id}/${id}`, {
      method: 'DELETE',
      headers: { 'x-api-key': bucket.api_key },
    });
    expect(removed.status).toBe(204);
    await until(async () => {
      await after.services.housekeeping.round();
      const remaining = await Array.fromAsync(after.services.objects.list(''));
      return remaining.every(({ key }) => key.startsWith('OC/'));
    });
    const image: FileWire = await uploadFile(after, bucket, 'image', {}, await photo(), 'f.jpg');
    expect(await waitForFile(after, bucket, image.id)).toMatchObject({ status: 'success' });
    expect(await Array.fromAsync(after.services.objects.list(`f/${bucket.id}/`))).toEqual([]);
    await after.stop();
    await before.stop().catch(() => {});
  });
});
