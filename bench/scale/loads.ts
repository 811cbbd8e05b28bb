import { KIB, MINUTE, SECOND } from '../../server/contract/limits.ts';
import { form, requestCode, type TestUser } from '../../tests/support/client/api.ts';
import { browser } from '../../tests/support/client/browser.ts';
import { readCode } from '../../tests/support/client/outbox.ts';
import type { ServerProcess } from '../../tests/support/server/server-process.ts';
import { makeImage } from '../fixtures.ts';
import { median } from '../measurement.ts';
import { OWNER } from './seed.ts';

const UPLOADERS = 8;
const UPLOAD_BYTES = 10 * KIB;
/** A server that does not answer for minutes is still measured. */
const ANSWER_TIMEOUT_MS = 15 * MINUTE;
const PAUSE_MS = 250;

/** Ten lists of a bucket's files, with filters that few or none of the files match. */
export function filteredLists(bucketId: string): string[] {
  const filters = [
    'file_type=video&access=private',
    'access=private',
    'file_type=video',
    'from=2020-01-01&to=2020-01-02',
    'file_type=video&from=2020-01-01&to=2020-01-02',
  ];
  return [...filters, ...filters].map((filter) => `/files/${bucketId}?${filter}`);
}

/** Searches of the admin that find nothing, so that no full page ends them. */
export const SEARCHES = [
  '/admin/users?email=no%26such',
  '/admin/buckets?name=no%26such',
  '/admin/logs?text=no%26such',
];

/** How long answers took, in milliseconds. */
export type AnswerTimes = { median: number; slowest: number };

/** Requests all paths at once, again and again. */
export async function requestAll(
  server: ServerProcess,
  { token }: TestUser,
  paths: string[],
  forMs: number,
): Promise<AnswerTimes> {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
  const times: number[] = [];
  const one = async (path: string) => {
    const started = performance.now();
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const response = await fetch(server.url + path, { headers, signal });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
    times.push(performance.now() - started);
  };
  const end = performance.now() + forMs;
  while (performance.now() < end) {
    await Promise.all(paths.map(one));
    await Bun.sleep(PAUSE_MS);
  }
  return { median: median(times), slowest: Math.max(...times) };
}

/**
 * Uploads small images or files of another type, eight at a time and each with a name of its own.
 * @returns how many a second were acknowledged; NaN where the server has no such call
 */
export async function uploadSmall(
  { url }: ServerProcess,
  bucket: { id: string; api_key: string },
  kind: 'file' | 'image',
  forMs: number,
): Promise<number> {
  // A JPEG is read by a job after its upload, also where it is stored as it is.
  const random = crypto.getRandomValues(new Uint8Array(UPLOAD_BYTES));
  const bytes = new Blob([kind === 'image' ? await makeImage(UPLOAD_BYTES) : random]);
  const headers = { authorization: `Bearer ${bucket.api_key}` };
  const fields = { access: 'public', ...(kind === 'image' && { webp: '' }) };
  const extension = kind === 'image' ? 'jpg' : 'bin';
  const started = performance.now();
  const counts = { sent: 0, done: 0 };
  const upload = async () => {
    while (performance.now() < started + forMs) {
      counts.sent += 1;
      const body = form(fields, bytes, `${kind}-${counts.sent}.${extension}`);
      const path = `/files/upload/${kind}/${bucket.id}`;
      const response = await fetch(url + path, { method: 'POST', headers, body });
      const text = await response.text();
      if (response.status === 404 && kind === 'file') return;
      if (response.status !== 201) throw new Error(`upload: ${response.status} ${text}`);
      counts.done += 1;
    }
  };
  await Promise.all(Array.from({ length: UPLOADERS }, upload));
  return counts.done === 0 ? Number.NaN : (counts.done * SECOND) / (performance.now() - started);
}

/** Deletes a bucket with the mailed code. Returns the milliseconds until that is answered. */
export async function deleteBucket(
  server: ServerProcess,
  owner: TestUser,
  bucketId: string,
): Promise<number> {
  const code = await requestCode(server, owner, 'delete-bucket', { bucket_id: bucketId });
  const started = performance.now();
  const response = await owner.client.fetch(`/buckets/${bucketId}`, {
    method: 'DELETE',
    headers: { ...owner.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ email_token: code }),
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  if (response.status !== 204) throw new Error(`deletion: ${response.status}`);
  return performance.now() - started;
}

/** Logs the owner of the seeded bucket in, with the mailed code. */
export async function logIn({ url, outbox }: ServerProcess): Promise<TestUser> {
  const { email, password } = OWNER;
  const client = browser(url);
  const requestedAt = Date.now();
  await client.post(`/users/send/email/no/auth/${email}/login`, { password });
  const email_token = await readCode(outbox, email, requestedAt);
  const response = await client.post('/users/login', { email, password, email_token });
  if (!response.ok) throw new Error(`login: ${response.status} ${await response.text()}`);
  const session = (await response.json()) as TestUser;
  return { ...session, email, client, authorization: { authorization: `Bearer ${session.token}` } };
}
