import type { BucketDetailWire } from '../../../server/contract/wire.ts';
import { createBucket, createToken, signUp, uploadImage } from '../client/api.ts';
import { callsOf, type ReferenceCall } from '../client/reference.ts';
import { until } from '../client/wait.ts';
import { deliverPrivateVideo } from '../fixtures/main-job.ts';
import type { ServerProcess } from '../server/server-process.ts';
import { normalised, normalisedJson } from './normalised.ts';

/** A request and its response, without the parts that differ between two runs. */
export type RecordedResponse = { request: string; status: number; headers: object; body: unknown };

const PAGES = ['/', '/login', '/signup', '/docs', '/docs/uploading', '/nowhere', '/embed/sample'];
/** Values that are out of bounds, of the wrong type or not matched by a pattern. */
const WRONG_VALUES = ['0', '51', '-1', 'x', '2026-02-30'];
const IMAGE_HEADERS: Record<string, string>[] = [
  {},
  { range: 'bytes=0-9' },
  { range: 'bytes=99999999-' },
  { accept: 'image/avif' },
];
/** The headers whose values differ between two runs. */
const VARYING_HEADERS = ['date', 'etag', 'last-modified', 'content-length', 'retry-after'];

/**
 * Does the main job on a fresh server, then makes every call of its reference: without authorization and
 * with an empty body.
 * @param image the photo that is uploaded and delivered
 * @param options.isBrief leaves out what is the same whatever stores the data: encoding a video, and invalid
 *   query parameters
 * @returns the responses in order
 */
export async function recordResponses(
  server: ServerProcess,
  image: File,
  { isBrief = false } = {},
): Promise<RecordedResponse[]> {
  // It is null until the server has tried how it can confine its tools.
  await until(async () => (await (await fetch(`${server.url}/health`)).json()).confinement);
  const { token } = await signUp(server, 'ana@example.org');
  const bucket = await createBucket(server, token, 'Pictures');
  const { url = '' } = await uploadImage(server, bucket, image);
  if (!isBrief) await deliverPrivateVideo(server, bucket);
  const responses: RecordedResponse[] = [];
  const send = async (request: string, path: string, init: RequestInit = {}) => {
    responses.push(await recorded(`${init.method ?? 'GET'} ${request}`, server.url + path, init));
  };

  for (const path of PAGES) await send(path, path, { headers: { accept: 'text/html' } });
  const delivered = url?.replace(server.url, '') ?? '';
  for (const headers of IMAGE_HEADERS) {
    await send(`the image ${JSON.stringify(headers)}`, delivered, { headers });
  }
  for (const query of ['width=100', 'width=0', 'format=auto', 'download', 'jwt=x']) {
    await send(`the image?${query}`, `${delivered}?${query}`);
  }
  await send('/buckets with a read token', '/buckets', bearer(await createToken(server, bucket)));
  for (const call of await callsOf(server.url)) {
    const values = isBrief ? [] : WRONG_VALUES;
    await sendAll(send, call, { bucket, token, values });
  }
  return responses;
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

async function sendAll(
  send: (request: string, path: string, init: RequestInit) => Promise<void>,
  call: ReferenceCall,
  { bucket, token, values }: { bucket: BucketDetailWire; token: string; values: string[] },
) {
  // A logout would end the session that the other calls need.
  if (call.path === '/users/logout') return;
  const path = call.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    /bucket/i.test(name) ? bucket.id : '1'.repeat(26),
  );
  const { method } = call;
  const hasBody = !['GET', 'HEAD'].includes(method);
  await send(call.path, path, { method });
  const headers = {
    ...bearer(token).headers,
    ...(hasBody && { 'content-type': 'application/json' }),
  };
  const body = hasBody ? '{}' : undefined;
  await send(`${call.path} as the user`, path, { method, headers, body });
  for (const { name } of call.parameters.filter((one) => one.in === 'query')) {
    for (const value of values) {
      const query = `${name}=${value}`;
      await send(`${call.path}?${query}`, `${path}?${query}`, { method, headers, body });
    }
  }
}

async function recorded(
  request: string,
  url: string,
  init: RequestInit,
): Promise<RecordedResponse> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const headers = Object.fromEntries(
    [...response.headers].map(([name, value]) => {
      if (VARYING_HEADERS.includes(name)) return [name, 'varies'];
      if (name === 'set-cookie') return [name, value.replace(/=[^;]*/, '=VALUE')];
      return [name, normalised(value)];
    }),
  );
  return { request, status: response.status, headers, body: await bodyOf(response) };
}

async function bodyOf(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  if (/json/.test(type)) return normalisedJson(await response.json());
  if (/^text|mpegurl/.test(type)) return normalised(await response.text());
  return new Bun.CryptoHasher('sha256').update(await response.arrayBuffer()).digest('hex');
}
