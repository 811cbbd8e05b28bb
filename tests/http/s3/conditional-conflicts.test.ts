import { describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { KIB, MIB } from '../../../server/contract/limits.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { until } from '../../support/client/wait.ts';
import { findingsOf } from '../../support/server/findings.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

/*
 * Conditional writes beside other writes of their key. "If a conflicting operation occurs during the upload S3 returns a 409
 * ConditionalRequestConflict response": what the client expects is at the key again, but is not what it has seen.
 */

const { server, user, bucket } = await sharedBucketInProcess({ S3_PORT: '0' });
const s3 = s3Client(server, await createS3Key(user));
const Bucket = bucket.id;
const CONFLICT = ['ConditionalRequestConflict', 409] as [string, number];
const FAILED = ['PreconditionFailed', 412] as [string, number];

const put = async (Key: string, Body: string | Uint8Array, more = {}) =>
  (await s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }))).ETag ?? '';
const remove = (Key: string) => s3.send(new DeleteObjectCommand({ Bucket, Key }));
const textOf = async (Key: string) =>
  (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString();

/** Starts an upload with one part, and returns the function that completes it. */
async function begin(Key: string, Body: string | Uint8Array = 'parts') {
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const part = { Bucket, Key, UploadId, PartNumber: 1 };
  const { ETag } = await s3.send(new UploadPartCommand({ ...part, Body }));
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
  return Object.assign(
    (more: { IfMatch?: string; IfNoneMatch?: string }) =>
      s3.send(
        new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload, ...more }),
      ),
    { UploadId },
  );
}

describe('completing an upload that expects nothing at its key', () => {
  test('conflicts where an object was deleted there meanwhile, and only a new upload helps', async () => {
    const Key = 'none/deleted';
    await put(Key, 'there');
    const complete = await begin(Key);
    expect(await refusalOf(complete({ IfNoneMatch: '*' }))).toEqual(FAILED);
    await remove(Key);
    for (let n = 0; n < 2; n += 1) {
      expect(await refusalOf(complete({ IfNoneMatch: '*' }))).toEqual(CONFLICT);
    }
    const { UploadId } = complete;
    await s3.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    const again = await begin(Key);
    await again({ IfNoneMatch: '*' });
    // A response that was lost is answered again.
    await again({ IfNoneMatch: '*' });
    expect(await textOf(Key)).toBe('parts');
  });

  test('is refused where an object has come there meanwhile, which stays', async () => {
    const complete = await begin('none/put');
    await put('none/put', 'first');
    expect(await refusalOf(complete({ IfNoneMatch: '*' }))).toEqual(FAILED);
    expect(await textOf('none/put')).toBe('first');
  });

  test('conflicts with nothing that it does not expect', async () => {
    await put('none/free', 'there');
    const complete = await begin('none/free');
    await remove('none/free');
    await put('none/free', 'other');
    await complete({});
    expect(await textOf('none/free')).toBe('parts');
  });
});

describe('completing an upload that expects an object', () => {
  test('replaces the one that was there when it began', async () => {
    const IfMatch = await put('match/same', 'there');
    const complete = await begin('match/same');
    await complete({ IfMatch });
    expect(await textOf('match/same')).toBe('parts');
  });

  test('conflicts where the same bytes were put again, and keeps them', async () => {
    const IfMatch = await put('match/again', 'there');
    const complete = await begin('match/again');
    expect(await put('match/again', 'there')).toBe(IfMatch);
    expect(await refusalOf(complete({ IfMatch }))).toEqual(CONFLICT);
    expect(await textOf('match/again')).toBe('there');
  });

  test('is refused where another one is there, or none', async () => {
    const IfMatch = await put('match/other', 'there');
    const complete = await begin('match/other');
    await put('match/other', 'other');
    expect(await refusalOf(complete({ IfMatch }))).toEqual(FAILED);
    await remove('match/other');
    expect(await refusalOf(complete({ IfMatch }))).toEqual(['NoSuchKey', 404]);
  });
});

test('of a completion and a PUT that expect the same object at the same time one wins, and the other is told', async () => {
  for (let round = 0; round < 10; round += 1) {
    const Key = `race/${round}`;
    const IfMatch = await put(Key, 'same');
    const complete = await begin(Key);
    const outcomes = await Promise.all([
      complete({ IfMatch }).then(
        () => 'parts',
        (error) => error.name,
      ),
      put(Key, 'same', { IfMatch }).then(
        () => 'same',
        (error) => error.name,
      ),
    ]);
    const won = outcomes[0] === 'parts' ? 'parts' : 'same';
    // After the PUT its bytes have the ETag that the completion expects.
    const lost = won === 'parts' ? 'PreconditionFailed' : 'ConditionalRequestConflict';
    expect([...outcomes].sort()).toEqual([lost, won].sort());
    expect(await textOf(Key)).toBe(won);
  }
  expect(await findingsOf(server.config)).toEqual([]);
});

test('of many that create an object at the same time by PUTs, completions and copies one wins, and each other is told', async () => {
  const names = (kind: string) => Array.from({ length: 12 }, (_, n) => `${kind} ${n}`);
  const [puts, parts, copies] = [names('put'), names('parts'), names('copy')];
  await Promise.all(copies.map((name) => put(`source/${name}`, name)));
  const Key = 'race/creators';
  const completions = await Promise.all(parts.map((name) => begin(Key, name)));
  const outcomeOf = (name: string, creating: Promise<unknown>) =>
    creating.then(
      () => name,
      (error) => error.name,
    );
  const copy = (name: string) => {
    const CopySource = encodeURI(`${Bucket}/source/${name}`);
    return s3.send(new CopyObjectCommand({ Bucket, Key, CopySource, IfNoneMatch: '*' }));
  };
  const outcomes = await Promise.all([
    ...puts.map((name) => outcomeOf(name, put(Key, name, { IfNoneMatch: '*' }))),
    ...completions.map((complete, n) => outcomeOf(parts[n] ?? '', complete({ IfNoneMatch: '*' }))),
    ...copies.map((name) => outcomeOf(name, copy(name))),
  ]);
  const winners = outcomes.filter((outcome) => outcome !== 'PreconditionFailed');
  expect(winners).toEqual([await textOf(Key)]);
  expect(await findingsOf(server.config)).toEqual([]);
});

/** Sends a PUT whose body waits, once it has begun to be stored. Returns the function that ends it with its answer. */
async function beginPut(Key: string, headers: Record<string, string>) {
  const url = await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key }), { expiresIn: 600 });
  const half = randomBytes(256 * KIB);
  const answer = Promise.withResolvers<[number | undefined, string | undefined]>();
  const sending = request(url, {
    method: 'PUT',
    headers: { ...headers, 'content-length': String(2 * half.length) },
  });
  sending.on('error', answer.reject);
  sending.on('response', async (response) => {
    let text = '';
    for await (const piece of response.setEncoding('utf8')) text += piece;
    answer.resolve([response.statusCode, /<Code>(.*)<\/Code>/.exec(text)?.[1]]);
  });
  const stored = () => server.db.selectFrom('pending_deletes').select('prefix').execute();
  const before = new Set((await stored()).map(({ prefix }) => prefix));
  sending.write(half);
  await until(async () => (await stored()).some(({ prefix }) => !before.has(prefix)));
  return () => {
    sending.end(half);
    return answer.promise;
  };
}

test('a PUT whose body still arrives conflicts where the same bytes were put again meanwhile', async () => {
  const ETag = await put('put/again', 'there');
  const end = await beginPut('put/again', { 'if-match': ETag });
  await put('put/again', 'there');
  expect(await end()).toEqual([409, 'ConditionalRequestConflict']);
  expect(await textOf('put/again')).toBe('there');

  const other = await beginPut('put/again', { 'if-match': ETag });
  await put('put/again', 'other');
  expect(await other()).toEqual([412, 'PreconditionFailed']);
  const gone = await beginPut('put/again', { 'if-match': await put('put/again', 'there') });
  await remove('put/again');
  expect(await gone()).toEqual([404, 'NoSuchKey']);
  const free = await beginPut('put/free', { 'if-none-match': '*' });
  expect((await free())[0]).toBe(200);
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: 'put/free' }));
  expect((await Body?.transformToByteArray())?.length).toBe(MIB / 2);
  expect(await findingsOf(server.config)).toEqual([]);
});
