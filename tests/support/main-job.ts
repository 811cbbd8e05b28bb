import { expect } from 'bun:test';
import type { BucketDetailWire, FilePageWire, FileWire } from '../../server/contract/wire.ts';
import { createBucket, readToken, sendImage, signUp } from './api.ts';
import { clipOfSize, photo } from './media.ts';
import { form } from './server.ts';
import type { ServerProcess } from './server-process.ts';
import { until } from './until.ts';

const CHUNK = 9 * 1024 * 1024;
const WEBP = new TextEncoder().encode('WEBP');

/** Signs a user up on a fresh server, and makes a bucket of theirs. */
export async function makeOwnBucket(server: ServerProcess): Promise<BucketDetailWire> {
  const session = await signUp(server, 'ana@example.org', 'a harbour at work');
  return createBucket(server, session.token, 'Pictures');
}

/** Uploads a photo that becomes a WebP, and fetches it. */
export async function deliverPhoto(server: ServerProcess, bucket: BucketDetailWire) {
  const picture = new File([(await photo()) as never], 'harbour.jpg', { type: 'image/jpeg' });
  const sent = await sendImage(server, bucket, picture, { webp: true });
  const image = await settled(server, bucket, sent.id);
  expect(image).toMatchObject({ status: 'success', error: null });
  const delivered = await fetch(image.url ?? '');
  expect(delivered.headers.get('content-type')).toBe('image/webp');
  expect((await delivered.bytes()).subarray(8, 12)).toEqual(WEBP);
}

/** Uploads a private video in chunks, waits until it is HLS, and fetches its playlist with a token. */
export async function deliverPrivateVideo(server: ServerProcess, bucket: BucketDetailWire) {
  const bytes = await clipOfSize(CHUNK + 100_000);
  const pieces = [bytes.subarray(0, CHUNK), bytes.subarray(CHUNK)];
  let answer = new Response();
  for (const [index, piece] of pieces.entries()) {
    const fields = {
      client_id: 'one-video',
      chunk_number: String(index),
      total_chunks: String(pieces.length),
      access: 'private',
      resolution: '320x240',
    };
    answer = await fetch(`${server.url}/files/upload/video/${bucket.id}`, {
      method: 'POST',
      headers: { 'x-api-key': bucket.api_key },
      body: form(fields, new Blob([piece as never]), 'clip.mp4'),
    });
  }
  expect(answer.status).toBe(201);
  const video = await settled(server, bucket, ((await answer.json()) as FileWire).id);
  expect(video).toMatchObject({ status: 'success', error: null });
  expect((await fetch(video.url ?? '')).status).toBe(401);
  const playlist = await fetch(`${video.url}?jwt=${await readToken(server, bucket)}`);
  expect(playlist.status).toBe(200);
  expect(await playlist.text()).toStartWith('#EXTM3U');
}

/** A file of the bucket, once it is no longer processing. */
export async function settled(
  { url }: ServerProcess,
  bucket: BucketDetailWire,
  id: string,
): Promise<FileWire> {
  const headers = { 'x-api-key': bucket.api_key };
  return until(async () => {
    const listed = await fetch(`${url}/files/${bucket.id}`, { headers });
    const { data } = (await listed.json()) as FilePageWire;
    return data.find((file) => file.id === id && file.status !== 'processing');
  });
}
