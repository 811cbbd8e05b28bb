import { beforeEach, expect, test } from 'bun:test';
import { DAY, HOUR, MINUTE, VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import { readChunkFields } from '../../../server/features/uploads/chunked/chunk-fields.ts';
import { storeChunk } from '../../../server/features/uploads/chunked/store-part.ts';
import { SNIFF_BYTES } from '../../../server/features/uploads/parsing/sniff.ts';
import { form, waitForFile } from '../../support/client/api.ts';
import { locationOf } from '../../support/client/tus.ts';
import { clip, clipOfSize } from '../../support/fixtures/make-media.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

let passed = 0;
const { server, bucket } = await sharedBucketInProcess({}, { clock: () => Date.now() + passed });
beforeEach(() => server.services.housekeeping.round());

/** Moves the clock and runs the housekeeping. */
async function wait(ms: number) {
  passed += ms;
  await server.services.housekeeping.round();
}

async function remaining() {
  const { db } = server;
  const objects = await Array.fromAsync(server.services.objects.list('u/'));
  const count = async (table: 'upload_sessions' | 'upload_parts') =>
    (await db.selectFrom(table).selectAll().execute()).length;
  return {
    objects: objects.length,
    uploads: await count('upload_sessions'),
    pieces: await count('upload_parts'),
    pendingDeletes: (
      await db
        .selectFrom('pending_deletes')
        .select('prefix')
        .where('prefix', 'like', 'u/%')
        .where('deleted_at', 'is', null)
        .execute()
    ).length,
  };
}
const NOTHING = { objects: 0, uploads: 0, pieces: 0, pendingDeletes: 0 };

const headers = () => ({ 'x-api-key': bucket.api_key });
const chunk = (id: string, number: number, bytes: Uint8Array, total = 2) =>
  fetch(`${server.url}/files/upload/video/${bucket.id}`, {
    method: 'POST',
    headers: headers(),
    body: form(
      { client_id: id, chunk_number: String(number), total_chunks: String(total) },
      new Blob([bytes as never]),
      'a.mp4',
    ),
  });
const progress = (id: string) =>
  fetch(`${server.url}/files/upload/video/${bucket.id}/${id}`, { headers: headers() });

const tus = (method: string, url: string, more: Record<string, string> = {}, body?: Uint8Array) =>
  fetch(url, {
    method,
    headers: { 'tus-resumable': '1.0.0', ...headers(), ...more },
    body: body as never,
  });
const beginTus = async (length: number) =>
  locationOf(
    await tus('POST', `${server.url}/files/tus/${bucket.id}`, { 'upload-length': String(length) }),
  );
const patch = (url: string, offset: number, bytes: Uint8Array) =>
  tus(
    'PATCH',
    url,
    { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
    bytes,
  );

test('an abandoned upload in chunks is kept for a day, then its rows and objects go', async () => {
  const bytes = await clipOfSize(VIDEO_CHUNK_BYTES + 1000);
  const first = bytes.subarray(0, VIDEO_CHUNK_BYTES);
  expect((await chunk('abandoned', 0, first)).status).toBe(202);
  await wait(DAY - MINUTE);
  expect(await (await progress('abandoned')).json()).toMatchObject({ received: [0], total: 2 });
  expect(await remaining()).toEqual({ objects: 1, uploads: 1, pieces: 1, pendingDeletes: 1 });
  await wait(2 * MINUTE);
  expect((await progress('abandoned')).status).toBe(404);
  await wait(HOUR);
  expect(await remaining()).toEqual(NOTHING);
});

test('a chunk that still arrives a minute after its upload was cancelled ends then', async () => {
  const client_id = 'cancelled';
  expect((await chunk(client_id, 2, new Uint8Array(1000), 3)).status).toBe(202);
  const { services } = server;
  const row = await services.buckets.byId(bucket.id);
  const upload = await server.db
    .selectFrom('upload_sessions')
    .selectAll()
    .where('client_id', '=', client_id)
    .executeTakeFirstOrThrow();
  if (!row) throw new Error('There is no bucket.');
  const fields = new Map(
    Object.entries({ client_id, chunk_number: '1', total_chunks: '3', access: 'public' }),
  );
  let pieces = 0;
  async function* slowly() {
    for (; pieces < 10; pieces += 1) {
      if (pieces === 2) {
        const path = `${server.url}/files/upload/video/${bucket.id}/${client_id}`;
        expect((await fetch(path, { method: 'DELETE', headers: headers() })).ok).toBe(true);
        passed += MINUTE;
      }
      yield new Uint8Array(SNIFF_BYTES);
    }
  }
  const deps = {
    ...{ ...services, maxVideoBytes: 3 * VIDEO_CHUNK_BYTES },
    clock: () => Date.now() + passed,
  };
  const part = { field: 'file', fileName: 'a.mp4', body: slowly(), fields };
  const about = readChunkFields(fields, new Headers(), deps.maxVideoBytes);
  await expect(storeChunk(deps, row, upload, about, part)).rejects.toMatchObject({ code: 'gone' });
  expect(pieces).toBe(2);
  await wait(2 * HOUR);
  expect(await remaining()).toEqual(NOTHING);
});

test('a late chunk starts anew, and says that it is the only one', async () => {
  const bytes = await clipOfSize(VIDEO_CHUNK_BYTES + 1000);
  const first = bytes.subarray(0, VIDEO_CHUNK_BYTES);
  const last = bytes.subarray(VIDEO_CHUNK_BYTES);
  expect((await chunk('late', 0, first)).status).toBe(202);
  // The upload has expired and is not removed yet.
  passed += DAY + MINUTE;
  const response = await chunk('late', 1, last);
  expect([response.status, await response.json()]).toEqual([202, { received: 1, total: 2 }]);
  expect(await (await progress('late')).json()).toMatchObject({ received: [1] });
  await wait(2 * HOUR);
  expect(await remaining()).toEqual({ objects: 1, uploads: 1, pieces: 1, pendingDeletes: 1 });
  const done = await chunk('late', 0, first);
  expect(done.status).toBe(201);
  const { id } = (await done.json()) as { id: string };
  expect(await waitForFile(server, bucket, id)).toMatchObject({
    status: 'success',
    size: bytes.length,
  });
  await wait(2 * DAY);
  expect(await remaining()).toEqual(NOTHING);
});

test('a tus upload that expires while its bytes arrive is ended', async () => {
  const bytes = await clip({ seconds: 1 });
  const url = await beginTus(bytes.length);
  passed += DAY - 500;
  const body = new ReadableStream<Uint8Array>({
    // The client sends nothing more, and does not close the connection either.
    start: (controller) => controller.enqueue(bytes.subarray(0, 2000)),
  });
  const response = await fetch(url, {
    method: 'PATCH',
    headers: {
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
      ...headers(),
    },
    body,
  });
  expect([response.status, response.headers.get('x-error-code')]).toEqual([410, 'gone']);
  await wait(2 * HOUR);
  expect(await remaining()).toEqual(NOTHING);
});

test('an abandoned tus upload is gone after a day, for the client at once and from the disk soon', async () => {
  const bytes = await clip({ seconds: 1 });
  const url = await beginTus(bytes.length);
  expect((await patch(url, 0, bytes.subarray(0, 2000))).status).toBe(204);
  await wait(DAY - MINUTE);
  expect((await tus('HEAD', url)).headers.get('upload-offset')).toBe('2000');
  passed += 2 * MINUTE;
  const response = await patch(url, 2000, bytes.subarray(2000));
  expect([response.status, await response.text()]).toEqual([
    410,
    'The upload has expired. Start over.',
  ]);
  expect((await tus('HEAD', url)).status).toBe(410);
  await wait(0);
  expect((await patch(url, 2000, bytes.subarray(2000))).status).toBe(404);
  await wait(HOUR);
  expect(await remaining()).toEqual(NOTHING);
});

test('a finished upload does not take its file along when it expires', async () => {
  const bytes = await clip({ seconds: 1 });
  const url = await beginTus(bytes.length);
  const id = (await patch(url, 0, bytes)).headers.get('x-file-id') ?? '';
  const { url: delivered } = await waitForFile(server, bucket, id);
  await wait(2 * DAY);
  // Of the upload only the original stays, which is part of the file.
  expect(await remaining()).toEqual({ ...NOTHING, objects: 1 });
  expect((await fetch(delivered ?? '')).status).toBe(200);
  expect(await findingsOf(server.config)).toEqual([]);
});
