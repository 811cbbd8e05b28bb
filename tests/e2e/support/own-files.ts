import { setTimeout as sleep } from 'node:timers/promises';
import type { FilePageWire, FileWire } from '../../../server/contract/wire.ts';
import * as api from '../../support/client/api.ts';

export { clip as clipBytes } from '../../support/fixtures/make-media.ts';

const WAIT_MS = 300_000;

export type Owner = { url: string; token: string; bucketId: string };
type Fields = Record<string, string> & { name: string };

/** Makes a bucket for a signed-in user. */
export async function makeBucket(url: string, token: string, name: string): Promise<Owner> {
  const { id } = await api.createBucket({ url }, token, name);
  return { url, token, bucketId: id };
}

/** A session's token opens the buckets of its user as their API keys do. */
const bucketOf = ({ bucketId, token }: Owner) => ({ id: bucketId, api_key: token });

/** Uploads a small video in one chunk. */
export const sendVideo = (owner: Owner, bytes: Buffer, { name, ...fields }: Fields) =>
  api.sendFile(owner, bucketOf(owner), 'video', fields, bytes, name);

export const sendImage = (owner: Owner, bytes: Buffer, { name, ...fields }: Fields) =>
  api.sendFile(owner, bucketOf(owner), 'image', fields, bytes, name);

export const listFiles = (owner: Owner): Promise<FilePageWire> =>
  api.listFiles(owner, bucketOf(owner));

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
