import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { VIDEO_CHUNK_BYTES } from '../../server/contract/limits.ts';
import type { FileWire } from '../../server/contract/wire.ts';
import { createBucket, form, signUp, waitForFile } from '../support/client/api.ts';
import { until } from '../support/client/wait.ts';
import { clipOfSize } from '../support/fixtures/make-media.ts';
import { freshDatabase } from '../support/server/engines.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { startPostgres } from '../support/services/postgres.ts';
import { type Rgw, startRgw } from '../support/services/rgw.ts';

const rgw = await startRgw();
const postgres = await startPostgres();

describe.skipIf(!rgw || !postgres)('two servers on one PostgreSQL and one S3', () => {
  let one: TestServer;
  let other: TestServer;
  let bucket: { id: string; api_key: string };

  beforeAll(async () => {
    const env = {
      DATABASE_URL: await freshDatabase(postgres?.url ?? ''),
      STORAGE_URL: (await (rgw as Rgw).bucket()).url,
      APP_SECRET: 'of both machines, and of nobody else',
    };
    one = await startServer(env);
    other = await startServer(env);
    bucket = await createBucket(one, (await signUp(one)).token);
  });
  afterAll(async () => {
    await one.stop();
    await other.stop();
  });

  const key = () => ({ 'x-api-key': bucket.api_key });
  const chunk = (server: TestServer, bytes: Uint8Array, number: number) =>
    fetch(`${server.url}/files/upload/video/${bucket.id}`, {
      method: 'POST',
      headers: key(),
      body: form(
        { client_id: 'two', chunk_number: String(number), total_chunks: '2' },
        new Blob([bytes as never]),
        'a.mp4',
      ),
    });
  const tus = (method: string, url: string, more: Record<string, string>, body?: BodyInit) =>
    fetch(url, { method, headers: { 'tus-resumable': '1.0.0', ...key(), ...more }, body });
  const patch = (url: string, offset: number, body: BodyInit) =>
    tus(
      'PATCH',
      url,
      { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
      body,
    );
  const sha256Of = (bytes: Uint8Array) =>
    new Bun.CryptoHasher('sha256').update(bytes).digest('hex');

  test('a chunk may reach another machine than the one before it', async () => {
    const bytes = await clipOfSize(VIDEO_CHUNK_BYTES + 100_000);
    expect((await chunk(one, bytes.subarray(0, VIDEO_CHUNK_BYTES), 0)).status).toBe(202);
    const last = await chunk(other, bytes.subarray(VIDEO_CHUNK_BYTES), 1);
    expect(last.status).toBe(201);
    const { id } = (await last.json()) as FileWire;
    const file = await waitForFile(one, bucket, id);
    expect(file).toMatchObject({ status: 'success', sha256: sha256Of(bytes) });
  });

  test('a client that comes back to another machine gets its upload, with all that had arrived', async () => {
    const bytes = await clipOfSize(3_000_000);
    const created = await tus('POST', `${one.url}/files/tus/${bucket.id}`, {
      'upload-length': String(bytes.length),
    });
    const path = new URL(created.headers.get('location') ?? '').pathname;
    expect(
      (await patch(`${one.url}${path}`, 0, bytes.subarray(0, 1_000_000) as never)).status,
    ).toBe(204);
    let isReading = false;
    const stalled = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (isReading) return new Promise(() => {});
        isReading = true;
        controller.enqueue(new Uint8Array(bytes.subarray(1_000_000, 1_500_000)));
      },
    });
    const hanging = patch(`${one.url}${path}`, 1_000_000, stalled as never).catch(() => null);
    await until(async () => isReading);
    await Bun.sleep(200);
    const head = await tus('HEAD', `${other.url}${path}`, {});
    const offset = Number(head.headers.get('upload-offset'));
    expect(offset).toBe(1_500_000);
    const rest = await patch(`${other.url}${path}`, offset, bytes.subarray(offset) as never);
    expect(rest.status).toBe(204);
    const id = rest.headers.get('x-file-id') ?? '';
    const file = await waitForFile(other, bucket, id);
    expect(file).toMatchObject({ status: 'success', sha256: sha256Of(bytes) });
    await hanging;
  });
});
