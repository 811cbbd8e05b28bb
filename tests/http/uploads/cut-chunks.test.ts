import { expect, test } from 'bun:test';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import { unavailable } from '../../../server/errors.ts';
import { keyPrincipal } from '../../../server/features/access/principal.ts';
import { createVideoUpload } from '../../../server/features/uploads/chunked/video-upload.ts';
import type { ObjectStore } from '../../../server/platform/storage/port.ts';
import { filePath } from '../../../server/platform/storage/slots/slice.ts';
import {
  FORM_END,
  FORM_HEADERS,
  fileHeader,
  formStart,
  NEXT_PART,
  slowBody,
} from '../../support/client/slow-body.ts';
import { until } from '../../support/client/wait.ts';
import { clipOfSize, photo } from '../../support/fixtures/make-media.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

const { server, bucket } = await sharedBucketInProcess();
const { services } = server;
const row = await services.buckets.byId(bucket.id);
if (!row) throw new Error('There is no bucket.');
const caller = {
  bucket: row,
  principal: keyPrincipal(row.id, { id: row.id, scope: 'read-write', expires_at: null }),
  uploader: 'key',
  recheck: async () => {},
  keepConnected: () => {},
};

/** More than is read of a file before it is stored. */
const BYTES = Buffer.alloc(10_000, 'x');

/** Starts to send a chunk. `isStoring` resolves when its bytes are being stored. */
const sendChunk = (...start: (string | Uint8Array)[]) => sendTo({}, ...start);

/** Starts to send a chunk to a storage in which some calls do something else. */
function sendTo(other: Partial<ObjectStore>, ...start: (string | Uint8Array)[]) {
  const storing = Promise.withResolvers<void>();
  const objects: ObjectStore = {
    ...services.objects,
    put(...parameters) {
      storing.resolve();
      return services.objects.put(...parameters);
    },
    ...other,
  };
  const { body, ...slow } = slowBody(...start);
  const deps = { ...services, objects, maxVideoBytes: VIDEO_CHUNK_BYTES * 3 };
  const request = new Request(server.url, { method: 'POST', headers: FORM_HEADERS, body });
  const result = createVideoUpload(deps)(caller, request);
  result.catch(() => {});
  return { result, isStoring: storing.promise, ...slow };
}

/** Returns the numbers of the chunks that have arrived; null where there is no such upload. */
const received = (clientId: string): Promise<number[] | null> =>
  services.uploads.progress({ bucketId: bucket.id, uploader: 'key', clientId }).then(
    (upload) => upload.received,
    () => null,
  );

test.each([
  ['cut off', (chunk: ReturnType<typeof sendChunk>) => chunk.cut(), 400],
  [
    'refused',
    (chunk: ReturnType<typeof sendChunk>) => {
      chunk.send(FORM_END);
      chunk.end();
    },
    422,
  ],
])(
  'a first chunk that is %s leaves the upload to a request that has joined it',
  async (name, end, status) => {
    const fields = { client_id: name.replace(' ', '-'), total_chunks: 3 };
    const first = sendChunk(formStart({ ...fields, chunk_number: 1 }), BYTES);
    await first.isStoring;
    const second = sendChunk(formStart({ ...fields, chunk_number: 2 }), BYTES);
    await second.isStoring;
    end(first);
    await expect(first.result).rejects.toMatchObject({ status });
    second.send(FORM_END);
    second.end();
    expect(await second.result).toEqual({ received: 1, total: 3, file: null });
  },
);

test('the upload of a chunk that is cut off stays open, and that of one which is refused does not', async () => {
  for (const [clientId, isOpen] of [
    ['lost', true],
    ['wrong', false],
  ] as const) {
    const fields = { client_id: clientId, total_chunks: 3, chunk_number: 1 };
    const chunk = sendChunk(formStart(fields), BYTES);
    await chunk.isStoring;
    if (isOpen) chunk.cut();
    else {
      chunk.send(FORM_END);
      chunk.end();
    }
    await expect(chunk.result).rejects.toThrow();
    expect(await received(clientId)).toEqual(isOpen ? [] : null);
  }
});

test('a chunk whose form is cut off behind it does not count, and nothing of it stays', async () => {
  const chunk = sendChunk(
    formStart({ client_id: 'cover', total_chunks: 2, chunk_number: 0 }, 'thumbnail'),
    await photo({ width: 32, height: 32 }),
    NEXT_PART,
    fileHeader('file'),
    await clipOfSize(VIDEO_CHUNK_BYTES),
    NEXT_PART,
  );
  const { prefix } = await until(() =>
    server.db
      .selectFrom('upload_sessions')
      .select('prefix')
      .where('client_id', '=', 'cover')
      .executeTakeFirst(),
  );
  const stored = () => Array.fromAsync(services.objects.list(prefix));
  await until(async () => (await stored()).length === 2);
  chunk.cut();
  await expect(chunk.result).rejects.toMatchObject({ status: 400 });
  expect(await received('cover')).toEqual([]);
  expect(await stored()).toEqual([]);
});

test('a chunk whose form is cut off behind it takes no place on the disk beside those that count', async () => {
  const { home } = server.config.storage;
  if (home.kind !== 'disk') return;
  const fields = { client_id: 'place', total_chunks: 3 };
  const counted = sendChunk(formStart({ ...fields, chunk_number: 2 }), BYTES, FORM_END);
  counted.end();
  expect(await counted.result).toEqual({ received: 1, total: 3, file: null });
  const { object_key: key } = await server.db
    .selectFrom('upload_parts')
    .innerJoin('upload_sessions', 'upload_sessions.id', 'upload_parts.upload_id')
    .select('object_key')
    .where('client_id', '=', 'place')
    .executeTakeFirstOrThrow();
  const path = join(home.root, 'objects', key);
  const blocks = async () => (await stat(filePath(path))).blocks;
  const before = await blocks();
  const cut = sendChunk(
    formStart({ ...fields, chunk_number: 1 }),
    Buffer.alloc(VIDEO_CHUNK_BYTES, 'x'),
    NEXT_PART,
  );
  const prefix = `${dirname(key)}/`;
  await until(async () => (await Array.fromAsync(services.objects.list(prefix))).length === 2);
  expect(await blocks()).toBeGreaterThan(before);
  cut.cut();
  await expect(cut.result).rejects.toMatchObject({ status: 400 });
  expect(await blocks()).toBe(before);
});

test('a video that is kept as it is becomes a file by its last chunk again, where its chunks could not be joined', async () => {
  const bytes = await clipOfSize(VIDEO_CHUNK_BYTES + 1000);
  const parts = [bytes.subarray(0, VIDEO_CHUNK_BYTES), bytes.subarray(VIDEO_CHUNK_BYTES)];
  const send = (number: number, other: Partial<ObjectStore> = {}) => {
    const fields = { client_id: 'joined', total_chunks: 2, chunk_number: number, optimize: 'no' };
    const chunk = sendTo(other, formStart(fields), parts[number] ?? bytes, FORM_END);
    chunk.end();
    return chunk.result;
  };
  expect(await send(0)).toEqual({ received: 1, total: 2, file: null });
  const compose = async () => {
    throw unavailable('The storage is away.', 1000);
  };
  await expect(send(1, { compose })).rejects.toMatchObject({ status: 503 });
  expect(await received('joined')).toEqual([0, 1]);
  const { file } = await send(1);
  expect(file).toMatchObject({ file_type: 'file', size: bytes.length, status: 'success' });
  expect((await send(0)).file?.id).toBe(file?.id ?? '');
  const delivered = await fetch(file?.url ?? '');
  expect(Buffer.from(await delivered.bytes()).equals(bytes)).toBe(true);
});
