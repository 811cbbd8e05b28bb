import { expect, test } from 'bun:test';
import { createToken, form } from '../../support/client/api.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { groupBucket } from '../../support/server/group-server.ts';

const { server, bucket } = await groupBucket();
const token = await createToken(server, bucket, { scope: 'write' });
const ORIGIN = 'https://elsewhere.example';

const split = (header: string | null) => header?.toLowerCase().split(/,\s*/) ?? [];

/** Calls as the page of another site does, and throws where a browser would not show it the response. */
async function call(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: BodyInit,
) {
  const url = `${server.url}/files/${path}`;
  const preflight = await fetch(url, {
    method: 'OPTIONS',
    headers: {
      origin: ORIGIN,
      'access-control-request-method': method,
      'access-control-request-headers': Object.keys(headers).sort().join(),
    },
  });
  if (!preflight.ok) throw new Error(`The preflight got ${preflight.status}.`);
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  expect(split(preflight.headers.get('access-control-allow-methods'))).toContain(
    method.toLowerCase(),
  );
  expect(split(preflight.headers.get('access-control-allow-headers'))).toEqual(
    expect.arrayContaining(Object.keys(headers)),
  );
  const response = await fetch(url, { method, headers: { origin: ORIGIN, ...headers }, body });
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  const exposed = split(response.headers.get('access-control-expose-headers'));
  return { status: response.status, exposed, response };
}

const asUploader = { authorization: `Bearer ${token}` };
const asKey = { 'x-api-key': bucket.api_key };
const image = new Blob([(await photo()) as never]);
const TUS = { 'tus-resumable': '1.0.0', 'upload-length': '10' };
const CHUNK = { client_id: 'a', chunk_number: '0', total_chunks: '1' };

test.each([
  ['an image', 'POST', `upload/image/${bucket.id}`, asUploader, form({}, image), 201],
  ['a chunk', 'POST', `upload/video/${bucket.id}`, asUploader, form(CHUNK, image), 415],
  ['a resolution', 'POST', `resolution/video/${bucket.id}`, asUploader, form({}, image), 415],
  ['the chunks', 'GET', `upload/video/${bucket.id}/b`, asUploader, undefined, 404],
  ['a tus upload', 'POST', `tus/${bucket.id}`, { ...asUploader, ...TUS }, undefined, 201],
  ['a list', 'GET', bucket.id, { ...asKey, traceparent: '00-1-1-00' }, undefined, 200],
  ['a file', 'GET', `${bucket.id}/x`, asKey, undefined, 404],
  ['a deletion', 'DELETE', `${bucket.id}/x`, asKey, undefined, 404],
  ['nothing', 'POST', 'no/such/call', asKey, undefined, 404],
] as const)(
  'a page of another site may ask for %s',
  async (_, method, path, headers, body, status) => {
    const answer = await call(method, path, headers, body);
    expect(answer.status).toBe(status);
    if (status >= 400) expect(answer.exposed).toContain('x-error-code');
  },
);

test.each([
  ['a form', `upload/image/${bucket.id}`],
  ['a tus upload', `tus/${bucket.id}`],
  ['a part of one', `tus/${bucket.id}/01m8a9ad4tzhfkdyqsq9pqp2wm`],
])('a page of another site reads why %s is refused, and when to try again', async (_, path) => {
  const headers = { ...TUS, authorization: 'Bearer x' };
  const { status, exposed, response } = await call('POST', path, headers);
  expect([status, response.headers.get('x-error-code')]).toEqual([401, 'unauthorized']);
  expect(exposed).toEqual(expect.arrayContaining(['x-error-code', 'retry-after', 'x-request-id']));
});

test('what a session may do is not for pages of other sites', async () => {
  const response = await fetch(`${server.url}/buckets`, { headers: { origin: ORIGIN } });
  expect(response.headers.get('access-control-allow-origin')).toBeNull();
  const preflight = await fetch(`${server.url}/buckets`, {
    method: 'OPTIONS',
    headers: { origin: ORIGIN, 'access-control-request-method': 'POST' },
  });
  expect(preflight.status).toBe(404);
});
