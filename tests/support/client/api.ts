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
 * The API as tests, benchmarks and screenshots call it. Every call throws with what the server said where it
 * refuses. Runs in Node and in Bun.
 */

/** A server by its address. `send` takes the place of `fetch`. */
type Server = { url: string; send?: (url: string, init: RequestInit) => Promise<Response> };
type ServerWithMail = { url: string; outbox: string | string[] };
type Bucket = { id: string; api_key: string };

export type TestUser = SessionWire & {
  /** With the user's cookies. */
  client: ReturnType<typeof browser>;
  authorization: { authorization: string };
};

export const PASSWORD = 'a harbour at work';
const FILE_TIMEOUT_MS = 120_000;
const MIN_INTERVAL_MS = 40;
const MAX_INTERVAL_MS = 500;

/** Signs a new user up, with the code from the outbox. */
export async function signUp(
  { url, outbox }: ServerWithMail,
  email = `u${crypto.randomUUID()}@example.com`,
  password: string = PASSWORD,
): Promise<TestUser> {
  const client = browser(url);
  await accepted(client.post('/users/signup', { email, password }));
  const code = await readCode(outbox, email);
  const answer = await accepted(client.post('/users/verify', { email, email_token: code }));
  const session = (await answer.json()) as SessionWire;
  return { ...session, client, authorization: bearer(session.token) };
}

/** The code that a logged-in user asks for and is mailed, at another address where one is given. */
export async function requestCode(
  { outbox }: ServerWithMail,
  { client, authorization, email: own }: TestUser,
  subject: string,
  email?: string,
): Promise<number> {
  const asked = Date.now();
  const body = form({ subject, ...(email && { email }) });
  await accepted(client.fetch('/users/email', { method: 'POST', headers: authorization, body }));
  return readCode(outbox, email ?? own, asked);
}

/** Creates a bucket and opens it: its id and API key among others. */
export async function createBucket(
  server: Server,
  token: string,
  name = 'Pictures',
  region?: string,
): Promise<BucketDetailWire> {
  const headers = bearer(token);
  const created = await call(server, '/buckets', json({ name, region }, headers));
  const { id } = (await created.json()) as { id: string };
  const opened = await call(server, `/buckets/${id}`, { headers });
  return (await opened.json()) as BucketDetailWire;
}

/** An access token of a bucket, or of one of its files. `expires` is in epoch seconds, 0 for never. */
export async function createToken(
  server: Server,
  { id, api_key }: Bucket,
  {
    scope = 'read',
    expires = 0,
    fileId,
  }: { scope?: string; expires?: number; fileId?: string } = {},
): Promise<string> {
  const path = `/buckets/jwt/${id}/${expires}/${scope}`;
  const answer = await call(server, path, json({ fileId }, bearer(api_key)));
  return ((await answer.json()) as { jwt: string }).jwt;
}

/** Uploads a file, in one chunk where it is a video; it is processed from then on. */
export async function sendFile(
  server: Server,
  { id, api_key }: Bucket,
  kind: 'image' | 'video',
  fields: Record<string, string>,
  file: Uint8Array | Blob,
  name: string,
): Promise<FileWire> {
  const chunk = { client_id: crypto.randomUUID(), chunk_number: '0', total_chunks: '1' };
  const blob = file instanceof Blob ? file : new Blob([file as never]);
  const answer = await call(server, `/files/upload/${kind}/${id}`, {
    method: 'POST',
    headers: bearer(api_key),
    body: form(kind === 'video' ? { ...chunk, ...fields } : fields, blob, name),
  });
  return (await answer.json()) as FileWire;
}

/** The same as it is, waiting until it is processed, well or not. */
export async function uploadFile(...sent: Parameters<typeof sendFile>): Promise<FileWire> {
  const [server, bucket] = sent;
  return waitForFile(server, bucket, (await sendFile(...sent)).id);
}

/** Uploads an image; it is processed from then on. */
export const sendImage = (
  server: Server,
  bucket: Bucket,
  image: File,
  { access = 'public', webp = false }: { access?: Access; webp?: boolean } = {},
): Promise<FileWire> =>
  sendFile(server, bucket, 'image', { access, webp: webp ? 'yes' : '' }, image, image.name);

/** The same as it is, waiting until it can be opened. */
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
  const answer = await call(server, `/files/${id}`, { headers: bearer(api_key) });
  return (await answer.json()) as FilePageWire;
}

/** Waits until a file is no longer processing. It asks the less often the longer that takes: asking costs too. */
export async function waitForFile(server: Server, bucket: Bucket, id: string): Promise<FileWire> {
  const started = Date.now();
  for (let waited = 0; waited < FILE_TIMEOUT_MS; waited = Date.now() - started) {
    const file = (await listFiles(server, bucket)).data.find((one) => one.id === id);
    if (file && file.status !== 'processing') return file;
    await sleep(Math.min(Math.max(waited / 5, MIN_INTERVAL_MS), MAX_INTERVAL_MS));
  }
  throw new Error(`The file ${id} is still processing.`);
}

/** A form with its fields in this order, and the file last. */
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

async function accepted(asked: Promise<Response>): Promise<Response> {
  const answer = await asked;
  if (answer.ok) return answer;
  throw new Error(`${answer.url}: ${answer.status} ${await answer.text()}`);
}
