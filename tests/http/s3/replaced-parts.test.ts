import { describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { MIB } from '../../../server/contract/limits.ts';
import {
  pauseDeletions,
  resumeDeletions,
} from '../../../server/platform/storage/deletion-pause-store.ts';
import { createBucket } from '../../support/client/api.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

const { server, user, bucket } = await sharedBucketInProcess({
  ...{ S3_PORT: '0', ACCOUNT_MAX_BYTES: String(40 * MIB) },
});
const s3 = s3Client(server, await createS3Key(user));
const Bucket = bucket.id;
const PART = 5 * MIB;

const create = async (Key: string) =>
  (await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }))).UploadId ?? '';
const uploadPart = async (Key: string, UploadId: string, PartNumber: number, Body: Uint8Array) => {
  const part = { Bucket, Key, UploadId, PartNumber };
  return { PartNumber, ETag: (await s3.send(new UploadPartCommand({ ...part, Body }))).ETag };
};
const complete = (Key: string, UploadId: string, Parts: { ETag: string | undefined }[]) =>
  s3.send(
    new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }),
  );
const bytesOf = async (Key: string) => {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
};
const unfinished = async () =>
  (await server.services.buckets.quotas.storageOf(user.userId)).unfinished;

/** Returns how many bytes the objects of an upload occupy on the disk; null where they are elsewhere. */
async function occupied(id: string): Promise<number | null> {
  const { home } = server.config.storage;
  if (home.kind !== 'disk') return null;
  const upload = await server.services.uploads.multipart.find(Bucket, id);
  const files = new Map<number, number>();
  for await (const name of new Bun.Glob('**').scan({
    ...{ cwd: join(home.root, 'objects', upload?.prefix ?? ''), absolute: true, dot: true },
  })) {
    const { ino, blocks } = await stat(name).catch(() => ({ ino: 0, blocks: 0 }));
    files.set(ino, blocks * 512);
  }
  return files.values().reduce((sum, bytes) => sum + bytes, 0);
}

test('a part that is sent again and again takes the space of one', async () => {
  const Key = 'again';
  const id = await create(Key);
  const second = randomBytes(PART);
  const other = await uploadPart(Key, id, 2, second);
  let [last, part] = [Buffer.alloc(0), other];
  // All together would exceed the limit of the account.
  for (let n = 0; n < 10; n += 1) {
    last = randomBytes(PART);
    part = await uploadPart(Key, id, 1, last);
  }
  expect(await unfinished()).toBe(2 * PART);
  const bytes = await occupied(id);
  if (bytes !== null) expect(bytes).toBeLessThan(3 * PART);
  await complete(Key, id, [part, other]);
  expect((await bytesOf(Key)).equals(Buffer.concat([last, second]))).toBe(true);
  expect(await unfinished()).toBe(0);
  expect(await findingsOf(server.config)).toEqual([]);
});

test('a part that is sent again while a backup copies objects keeps its bytes, which count', async () => {
  const Key = 'paused';
  const { db } = server;
  const id = await create(Key);
  await uploadPart(Key, id, 1, randomBytes(PART));
  const [row] = await server.services.uploads.multipart.parts(id, { after: 0, limit: 1 });
  await pauseDeletions(db, 'backup', Date.now() + 60_000);
  await uploadPart(Key, id, 1, randomBytes(PART));
  expect(await server.services.objects.head(row?.object_key ?? '')).toMatchObject({ size: PART });
  expect(await unfinished()).toBe(2 * PART);
  await resumeDeletions(db, 'backup', Date.now());
  await s3.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId: id }));
});

/** Has something done while the parts of an upload are being joined: once, before their bytes are read. */
function whileJoining(act: () => Promise<unknown>): void {
  const { objects } = server.services;
  const { compose } = objects;
  objects.compose = async (...args) => {
    objects.compose = compose;
    await act();
    return compose(...args);
  };
}

test('a part that is sent again with the same bytes while its upload is completed changes nothing', async () => {
  const Key = 'joined';
  const pieces = [randomBytes(PART), randomBytes(PART)] as const;
  const id = await create(Key);
  const parts = [await uploadPart(Key, id, 1, pieces[0]), await uploadPart(Key, id, 2, pieces[1])];
  whileJoining(() => uploadPart(Key, id, 1, pieces[0]));
  await complete(Key, id, parts);
  expect((await bytesOf(Key)).equals(Buffer.concat(pieces))).toBe(true);
  expect(await findingsOf(server.config)).toEqual([]);
});

test('a completion whose part gets other bytes meanwhile makes no object, and can be repeated with them', async () => {
  const Key = 'changed';
  const pieces = [randomBytes(PART), randomBytes(PART)] as const;
  const id = await create(Key);
  const parts = [await uploadPart(Key, id, 1, pieces[0]), await uploadPart(Key, id, 2, pieces[1])];
  const other = randomBytes(PART);
  let changed = parts[0];
  whileJoining(async () => {
    changed = await uploadPart(Key, id, 1, other);
  });
  expect(await refusalOf(complete(Key, id, parts))).toEqual(['OperationAborted', 409]);
  expect(await refusalOf(bytesOf(Key))).toEqual(['NoSuchKey', 404]);
  expect(await refusalOf(complete(Key, id, parts))).toEqual(['InvalidPart', 400]);
  await complete(Key, id, [changed ?? { ETag: '' }, ...parts.slice(1)]);
  expect((await bytesOf(Key)).equals(Buffer.concat([other, pieces[1]]))).toBe(true);
  expect(await findingsOf(server.config)).toEqual([]);
});

describe('what an upload is, is told by the bytes of its object, also where a part is sent again while it is completed', () => {
  /** Completes an upload of one part, which is sent again when its bytes, or those of the object, are first looked at. */
  const completeWhileSent = async (into: string, Key: string, Body: Uint8Array) => {
    const upload = { Bucket: into, Key };
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand(upload));
    const send = () => s3.send(new UploadPartCommand({ ...upload, UploadId, PartNumber: 1, Body }));
    const { ETag } = await send();
    const { objects } = server.services;
    const { open } = objects as { open: (...args: unknown[]) => Promise<unknown> };
    const openLater = async (...args: unknown[]) => {
      Object.assign(objects, { open });
      await send();
      return open(...args);
    };
    Object.assign(objects, { open: openLater });
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
    await s3.send(new CompleteMultipartUploadCommand({ ...upload, UploadId, MultipartUpload }));
    const file = await server.services.files.forDeliveryAt(into, Key);
    const jobs = server.db
      .selectFrom('jobs')
      .select('kind')
      .where('subject', '=', file?.id ?? '');
    return (await jobs.execute()).map(({ kind }) => kind);
  };

  test('an image is processed', async () => {
    const { id } = await createBucket(server, user.token);
    const response = await fetch(`${server.url}/buckets/s3/${id}`, {
      method: 'PUT',
      headers: { ...user.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ process_s3_uploads: true }),
    });
    expect(response.status).toBe(200);
    expect(await completeWhileSent(id, 'photo', await photo())).toEqual(['image']);
  });

  test('what the bucket does not accept is refused', async () => {
    const { id } = await createBucket(server, user.token);
    await server.services.buckets.settings.setUploadRules(user.userId, id, {
      allowed_types: ['text/*'],
    });
    const completed = completeWhileSent(id, 'note.txt', await photo());
    expect(await refusalOf(completed)).toEqual(['InvalidRequest', 400]);
    expect(await server.services.files.forDeliveryAt(id, 'note.txt')).toBeUndefined();
  });
});
