import { expect, test } from 'bun:test';
import { HOUR, SECOND } from '../../../server/contract/limits.ts';
import type { ObjectStore } from '../../../server/platform/storage/port.ts';
import { createBucket, createToken } from '../../support/client/api.ts';
import { FORM_HEADERS, formStart, slowBody } from '../../support/client/slow-body.ts';
import { locationOf } from '../../support/client/tus.ts';
import { clip } from '../../support/fixtures/make-media.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

let passed = 0;
const clock = () => Date.now() + passed;
const { server, user, bucket } = await sharedBucketInProcess({}, { clock });
const { services, url } = server;
const bytes = await clip({ seconds: 1 });
const HEAD_BYTES = 8000;

/** Resolves when an object is being stored. */
function nextPut(): Promise<void> {
  const { put } = services.objects;
  const { promise, resolve } = Promise.withResolvers<void>();
  services.objects.put = (...parameters: Parameters<ObjectStore['put']>) => {
    resolve();
    services.objects.put = put;
    return put(...parameters);
  };
  return promise;
}

const tus = (target: string, method: string, headers: Record<string, string>) =>
  fetch(target, { method, headers: { 'tus-resumable': '1.0.0', ...headers } });

/** Starts a PATCH by tus that has sent a part of a video. */
async function startPatch(bucketId: string, key: string) {
  const credential = { authorization: `Bearer ${key}` };
  const created = await tus(`${url}/files/tus/${bucketId}`, 'POST', {
    ...credential,
    'upload-length': String(bytes.length),
  });
  const location = locationOf(created);
  const { body, ...slow } = slowBody(bytes.subarray(0, HEAD_BYTES));
  const isStoring = nextPut();
  const response = fetch(location, {
    method: 'PATCH',
    headers: {
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
      ...credential,
    },
    body,
  });
  await isStoring;
  return { location, response, ...slow };
}

/** Starts to send a chunk of a video as the owner. */
async function startChunk() {
  const fields = { client_id: 'slow', chunk_number: 0, total_chunks: 1 };
  const { body } = slowBody(formStart(fields), bytes.subarray(0, HEAD_BYTES));
  const isStoring = nextPut();
  const headers = { ...FORM_HEADERS, ...user.authorization };
  const response = fetch(`${url}/files/upload/video/${bucket.id}`, {
    method: 'POST',
    headers,
    body,
  });
  await isStoring;
  return { response };
}

test('an upload ends soon after its key is replaced or its session ends, but not when its token expires', async () => {
  const other = await createBucket(server, user.token);
  const expires = Math.floor((clock() + HOUR) / SECOND);
  const token = await createToken(server, other, { scope: 'write', expires });
  const expiring = await startPatch(other.id, token);
  const patch = await startPatch(bucket.id, bucket.api_key);
  const chunk = await startChunk();

  const rolled = await fetch(`${url}/buckets/roll/api-key/${bucket.id}`, {
    method: 'PUT',
    headers: user.authorization,
  });
  const { api_key } = (await rolled.json()) as { api_key: string };
  await fetch(`${url}/users/logout`, { method: 'POST', headers: user.authorization });
  passed += 2 * HOUR;
  const revoked = await patch.response;
  expect([revoked.status, revoked.headers.get('x-error-code')]).toEqual([401, 'unauthorized']);
  // What had arrived by then counts.
  const head = await tus(patch.location, 'HEAD', { 'x-api-key': api_key });
  expect(head.headers.get('upload-offset')).toBe(String(HEAD_BYTES));
  const ended = await chunk.response;
  expect([ended.status, ended.headers.get('x-error-code')]).toEqual([401, 'unauthorized']);

  expiring.send(bytes.subarray(HEAD_BYTES));
  expiring.end();
  expect((await expiring.response).status).toBe(204);
}, 600_000);
