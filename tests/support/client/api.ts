import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Access,
  BucketDetailWire,
  FilePageWire,
  FileWire,
  SessionWire,
} from '../../../server/contract/wire.ts';
import { readCode } from './outbox.ts';

/** A server by its address. */
type Server = { url: string };

const PATIENCE = 120_000;

/** Answers the body of a request that succeeded. Throws with what the server said otherwise. */
async function call(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.ok) return response;
  throw new Error(`${init.method ?? 'GET'} ${url}: ${response.status} ${await response.text()}`);
}

const json = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Signs a new user up over the API, with the code from the outbox. */
export async function signUp(
  { url, outbox }: Server & { outbox: string | string[] },
  email: string,
  password: string,
): Promise<SessionWire> {
  const asked = await call(`${url}/users/signup`, json({ email, password }));
  const cookie = asked.headers.get('set-cookie')?.split(';')[0] ?? '';
  const code = await readCode(outbox, email);
  const verified = await call(
    `${url}/users/verify`,
    json({ email, email_token: code }, { cookie }),
  );
  return (await verified.json()) as SessionWire;
}

/** Makes a bucket and opens it: its id and API key among others. */
export async function createBucket(
  { url }: Server,
  token: string,
  name: string,
): Promise<BucketDetailWire> {
  const made = await call(`${url}/buckets`, json({ name }, bearer(token)));
  const { id } = (await made.json()) as { id: string };
  const opened = await call(`${url}/buckets/${id}`, { headers: bearer(token) });
  return (await opened.json()) as BucketDetailWire;
}

/** Uploads an image with a bucket's API key; it is processed from then on. */
export async function sendImage(
  { url }: Server,
  { id, api_key }: BucketDetailWire,
  image: File,
  { access = 'public', webp = false }: { access?: Access; webp?: boolean },
): Promise<FileWire> {
  const form = new FormData();
  form.set('access', access);
  form.set('webp', webp ? 'yes' : '');
  form.set('file', image);
  const headers = bearer(api_key);
  const sent = await call(`${url}/files/upload/image/${id}`, {
    method: 'POST',
    headers,
    body: form,
  });
  return (await sent.json()) as FileWire;
}

/** The same as it is, waiting until it can be opened. */
export async function uploadImage(
  server: Server,
  bucket: BucketDetailWire,
  image: File,
  access: Access = 'public',
): Promise<FileWire> {
  const file = await sendImage(server, bucket, image, { access });
  const headers = bearer(bucket.api_key);
  for (const deadline = Date.now() + PATIENCE; Date.now() < deadline; await sleep(100)) {
    const listed = await call(`${server.url}/files/${bucket.id}`, { headers });
    const now = ((await listed.json()) as FilePageWire).data.find((one) => one.id === file.id);
    if (now?.status === 'error') throw new Error(`${image.name}: ${now.error}`);
    if (now?.url) return now;
  }
  throw new Error(`${image.name} was not ready after ${PATIENCE / 1000} s.`);
}

/** A read token of a bucket that never expires. */
export async function readToken(
  { url }: Server,
  { id, api_key }: BucketDetailWire,
): Promise<string> {
  const minted = await call(`${url}/buckets/jwt/${id}/0/read`, json({}, bearer(api_key)));
  return ((await minted.json()) as { jwt: string }).jwt;
}
