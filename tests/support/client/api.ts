import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Access,
  BucketDetailWire,
  FilePageWire,
  FileWire,
  SessionWire,
} from '../../../server/contract/wire.ts';
import { browser } from './browser.ts';
import { readCode } from './outbox.ts';

/*
 * The API client of the tests, benchmarks and screenshots. Every call throws the server's message if it
 * is refused. The client runs in Node and in Bun.
 */

/** A server and its URL. `send` replaces `fetch`. */
type Server = { url: string; send?: (url: string, init: RequestInit) => Promise<Response> };
type ServerWithMail = { url: string; outbox: string | string[] };
type Bucket = { id: string; api_key: string };

export type TestUser = SessionWire & {
  /** A client with the user's cookies. */
  client: ReturnType<typeof browser>;
  authorization: { authorization: string };
};

export const PASSWORD = 'a harbour at work';
const FILE_TIMEOUT_MS = 500_000;
const MIN_INTERVAL_MS = 40;
const MAX_INTERVAL_MS = 500;

/** Signs up a new user with a client of its own. */
export async function signUp(
  { url, outbox }: ServerWithMail,
  email = `u${crypto.randomUUID()}@example.com`,
  password: string = PASSWORD,
): Promise<TestUser> {
  const client = browser(url);
  const session = await signUpWith(client.post, outbox, { email, password });
  return { ...session, client, authorization: bearer(session.token) };
}

/**
 * Signs up a new user with the code from the outbox.
 * @param post posts JSON and keeps the cookies of the response
 */
export async function signUpWith(
  post: (path: string, body: object) => Promise<Response>,
  outbox: string | string[],
  { email, password }: { email: string; password: string },
): Promise<SessionWire> {
  await accepted(post('/users/signup', { email, password }));
  const code = await readCode(outbox, email);
  const response = await accepted(post('/users/verify', { email, email_token: code }));
  return (await response.json()) as SessionWire;
}

/**
 * Requests a code for a signed-in user and returns it from the mail to their address, or to the `email`
 * among the other fields of the form.
 */
export async function requestCode(
  { outbox }: ServerWithMail,
  { client, authorization, email: own }: TestUser,
  subject: string,
  fields: { email?: string; bucket_id?: string } = {},
): Promise<number> {
  const requestedAt = Date.now();
  const body = form({ subject, ...fields });
  await accepted(client.fetch('/users/email', { method: 'POST', headers: authorization, body }));
  return readCode(outbox, fields.email ?? own, requestedAt);
}

/** Creates a bucket and returns its ID, without a request for the rest of it. */
export async function createBucketId(
  server: Server,
  token: string,
  name = 'Pictures',
  region?: string,
): Promise<string> {
  const created = await call(server, '/buckets', json({ name, region }, bearer(token)));
  return ((await created.json()) as { id: string }).id;
}

/** Creates a bucket and returns it with its API key. */
export async function createBucket(
  server: Server,
  token: string,
  name?: string,
  region?: string,
): Promise<BucketDetailWire> {
  const id = await createBucketId(server, token, name, region);
  const response = await call(server, `/buckets/${id}`, { headers: bearer(token) });
  return (await response.json()) as BucketDetailWire;
}

/** Creates an access token for a bucket or one of its files. `expires` is in epoch seconds, 0 for never. */
export async function createToken(
  server: Server,
  { id, api_key }: Bucket,
  {
    scope = 'read',
    expires = 0,
    fileId,
    prefix,
    name,
  }: { scope?: string; expires?: number; fileId?: string; prefix?: string; name?: string } = {},
): Promise<string> {
  const path = `/buckets/jwt/${id}/${expires}/${scope}`;
  const response = await call(
    server,
    path,
    json({ name, file_id: fileId, prefix }, bearer(api_key)),
  );
  return ((await response.json()) as { jwt: string }).jwt;
}

/** Uploads a file, a video in one chunk, without waiting for its processing. */
export async function sendFile(
  server: Server,
  { id, api_key }: Bucket,
  kind: 'file' | 'image' | 'video',
  fields: Record<string, string>,
  file: Uint8Array | Blob,
  name: string,
): Promise<FileWire> {
  const chunk = { client_id: crypto.randomUUID(), chunk_number: '0', total_chunks: '1' };
  const blob = file instanceof Blob ? file : new Blob([file as never]);
  const response = await call(server, `/files/upload/${kind}/${id}`, {
    method: 'POST',
    headers: bearer(api_key),
    body: form(kind === 'video' ? { ...chunk, ...fields } : fields, blob, name),
  });
  return (await response.json()) as FileWire;
}

/** Uploads a file and waits until it is processed, whether that succeeds or not. */
export async function uploadFile(...options: Parameters<typeof sendFile>): Promise<FileWire> {
  const [server, bucket] = options;
  return waitForFile(server, bucket, (await sendFile(...options)).id);
}

/** Uploads an image without waiting for its processing. */
export const sendImage = (
  server: Server,
  bucket: Bucket,
  image: File,
  { access = 'public', webp = false }: { access?: Access; webp?: boolean } = {},
): Promise<FileWire> =>
  sendFile(server, bucket, 'image', { access, webp: webp ? 'yes' : '' }, image, image.name);

/** Uploads an image and waits until it can be opened. */
export async function uploadImage(
  server: Server,
  bucket: Bucket,
  image: File,
  access: Access = 'public',
): Promise<FileWire> {
  const { id } = await sendImage(server, bucket, image, { access });
  const file = await waitForFile(server, bucket, id);
  if (file.status === 'error') throw new Error(`${image.name}: ${file.error}`);
  return file;
}

export async function listFiles(server: Server, { id, api_key }: Bucket): Promise<FilePageWire> {
  const response = await call(server, `/files/${id}`, { headers: bearer(api_key) });
  return (await response.json()) as FilePageWire;
}

/**
 * Waits until a file is processed, or until `isDone`. The interval between the requests grows, because
 * they slow down the server that is processing.
 */
export async function waitForFile(
  server: Server,
  bucket: Bucket,
  id: string,
  isDone: (file: FileWire) => boolean = ({ status }) => status !== 'processing',
): Promise<FileWire> {
  const started = Date.now();
  for (let waited = 0; waited < FILE_TIMEOUT_MS; waited = Date.now() - started) {
    const file = (await listFiles(server, bucket)).data.find((one) => one.id === id);
    if (file && isDone(file)) return file;
    await sleep(Math.min(Math.max(waited / 5, MIN_INTERVAL_MS), MAX_INTERVAL_MS));
  }
  throw new Error(`The file ${id} was not done in time.`);
}

/** Returns a form with the fields in this order and the file last. */
export function form(fields: Record<string, string>, file?: Blob, name = 'file.bin'): FormData {
  const data = new FormData();
  for (const [field, value] of Object.entries(fields)) data.append(field, value);
  if (file) data.append('file', file, name);
  return data;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const json = (body: unknown, headers: Record<string, string>): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

const call = ({ url, send = fetch }: Server, path: string, init: RequestInit) =>
  accepted(send(`${url}${path}`, init));

async function accepted(pending: Promise<Response>): Promise<Response> {
  const response = await pending;
  if (response.ok) return response;
  throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
}
