import { VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import { MESSAGES } from '../../../server/contract/messages.ts';
import type { Access, FileWire } from '../../../server/contract/wire.ts';
import { ApiError } from '../../runtime/api-error.ts';
import { sendWithRetry, withRetry } from './retry.ts';
import { sendForm, type UploadCallbacks, yesOrEmpty } from './send-form.ts';
import { videoProgress } from './upload-calls.ts';

/** More rounds than this would mean that the server forgets what it said has arrived. */
const MAX_ROUNDS = 3;

export type VideoUpload = {
  clientId: string;
  file: File;
  thumbnail: File | null;
  access: Access;
  /** 'WIDTHxHEIGHT', separated by commas; empty keeps the source's size. */
  resolution: string;
  timelinePreview: boolean;
};

export const chunksOf = ({ size }: Blob) => Math.max(1, Math.ceil(size / VIDEO_CHUNK_BYTES));

/** The bytes of so many chunks of a file; only its last chunk is shorter. */
export const bytesOf = ({ size }: Blob, numbers: readonly number[]) =>
  numbers.reduce(
    (sum, one) => sum + Math.min(VIDEO_CHUNK_BYTES, size - one * VIDEO_CHUNK_BYTES),
    0,
  );

/**
 * Uploads a video chunk by chunk, in sequence, without those of `received`. The answer to the last
 * one is the file.
 * @param onChunk called with how many chunks have arrived
 */
export function sendVideo(
  bucketId: string,
  upload: VideoUpload,
  received: readonly number[],
  sending: UploadCallbacks & { onChunk: (count: number) => void },
): Promise<FileWire> {
  const { file, clientId } = upload;
  const { signal, onPause } = sending;
  const total = chunksOf(file);
  const path = `/files/upload/video/${encodeURIComponent(bucketId)}`;

  const sendChunk = async (number: number, before: readonly number[]) => {
    const sentBefore = bytesOf(file, before);
    const onSent = (bytes: number) =>
      sending.onSent(sentBefore + Math.min(bytes, bytesOf(file, [number])));
    const send = () =>
      sendForm<FileWire | { received: number }>(path, chunkForm(upload, number, total), {
        signal,
        onSent,
      });
    const answer = await sendWithRetry(file, send, { signal, onPause });
    if ('id' in answer) return answer;
    sending.onChunk(before.length + 1);
    return null;
  };
  const askArrived = async () => {
    const state = await withRetry(() => videoProgress(bucketId, clientId), { signal, onPause });
    return state?.received ?? [];
  };
  return sendMissing(total, received, sendChunk, askArrived);
}

function chunkForm(upload: VideoUpload, number: number, total: number): FormData {
  const form = new FormData();
  form.set('chunk_number', String(number));
  form.set('total_chunks', String(total));
  form.set('client_id', upload.clientId);
  form.set('access', upload.access);
  form.set('resolution', upload.resolution);
  form.set('timeline_preview', yesOrEmpty(upload.timelinePreview));
  if (upload.thumbnail && number === 0) form.set('thumbnail', upload.thumbnail);
  const start = number * VIDEO_CHUNK_BYTES;
  form.set('file', upload.file.slice(start, start + VIDEO_CHUNK_BYTES), upload.file.name);
  return form;
}

/** `crypto.randomUUID` is missing on plain http, where people try things at home. */
export const newClientId = () => toHex(crypto.getRandomValues(new Uint8Array(16)));

/** The SHA-256, in hex, of a file's first 9 MiB: tells two videos of the same name and size apart. */
export async function hashFirstChunk(file: Blob): Promise<string> {
  const bytes = await file.slice(0, VIDEO_CHUNK_BYTES).arrayBuffer();
  // Browsers have no `subtle` on plain http, but for localhost.
  if (globalThis.crypto.subtle) {
    return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
  }
  const { sha256 } = await import('@noble/hashes/sha2.js');
  return toHex(sha256(new Uint8Array(bytes)));
}

/** `Uint8Array.toHex` is too new for some browsers. */
const toHex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** The numbers below `total` that are not in `arrived`. */
export const missingOf = (total: number, arrived: readonly number[]) => {
  const there = new Set(arrived);
  return Array.from({ length: total }, (_, number) => number).filter((one) => !there.has(one));
};

/**
 * Sends the chunks that have not arrived, in sequence, until one is answered with what they make.
 * Should the server have forgotten some, after a pause of a day, they go again.
 * @param sendChunk sends one; `before` are those that are there without it. Null where more is missing
 * @param askArrived which chunks the server has
 */
export async function sendMissing<Made>(
  total: number,
  received: readonly number[],
  sendChunk: (number: number, before: readonly number[]) => Promise<Made | null>,
  askArrived: () => Promise<readonly number[]>,
): Promise<Made> {
  let arrived = [...received];
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const missing = missingOf(total, arrived);
    // All are there, but nobody heard of the file: the last one again is answered with it.
    for (const number of missing.length > 0 ? missing : [total - 1]) {
      const before = arrived.filter((one) => one !== number);
      const made = await sendChunk(number, before);
      if (made !== null) return made;
      arrived = [...before, number];
    }
    arrived = [...(await askArrived())];
  }
  throw new ApiError(200, MESSAGES.unexpected);
}
