import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FilePageWire, FileWire } from '../../../server/contract/wire.ts';
import { type ClipOptions, makeClip } from '../../support/fixtures/make-media.ts';

const WAIT_MS = 300_000;

export type Owner = { url: string; token: string; bucketId: string };

/** Makes a bucket for a signed-in user. */
export async function makeBucket(url: string, token: string, name: string): Promise<Owner> {
  const answer = await fetch(`${url}/buckets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  return { url, token, bucketId: ((await answer.json()) as { id: string }).id };
}

/** The bytes of a moving test card. */
export async function clipBytes(options: ClipOptions): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-clip-'));
  await makeClip(join(folder, 'clip.mp4'), options);
  const bytes = await readFile(join(folder, 'clip.mp4'));
  await rm(folder, { recursive: true });
  return bytes;
}

let uploads = 0;
/** Uploads a small video in one chunk. */
export function sendVideo(owner: Owner, bytes: Buffer, fields: Fields): Promise<FileWire> {
  uploads += 1;
  const chunk = { client_id: `e2e-${uploads}`, chunk_number: '0', total_chunks: '1' };
  return send('video', owner, bytes, { ...chunk, ...fields });
}

export const sendImage = (owner: Owner, bytes: Buffer, fields: Fields): Promise<FileWire> =>
  send('image', owner, bytes, fields);

type Fields = Record<string, string> & { name: string };

async function send(
  kind: 'image' | 'video',
  { url, token, bucketId }: Owner,
  bytes: Buffer,
  { name, ...fields }: Fields,
): Promise<FileWire> {
  const body = new FormData();
  for (const [field, value] of Object.entries(fields)) body.append(field, value);
  body.append('file', new Blob([new Uint8Array(bytes)]), name);
  const answer = await fetch(`${url}/files/upload/${kind}/${bucketId}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body,
  });
  if (answer.status !== 201) throw new Error(`The upload failed: ${await answer.text()}`);
  return (await answer.json()) as FileWire;
}

export async function listFiles({ url, token, bucketId }: Owner): Promise<FilePageWire> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/files/${bucketId}`, { headers });
  return (await answer.json()) as FilePageWire;
}

/** Waits until a file is what is asked for. */
export async function fileThat(
  owner: Owner,
  id: string,
  is: (file: FileWire) => boolean = ({ status }) => status !== 'processing',
): Promise<FileWire> {
  const deadline = Date.now() + WAIT_MS;
  while (Date.now() < deadline) {
    const file = (await listFiles(owner)).data.find((one) => one.id === id);
    if (file && is(file)) return file;
    await sleep(100);
  }
  throw new Error('The file did not become what was waited for.');
}
