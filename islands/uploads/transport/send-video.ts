import { VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import { MESSAGES } from '../../../server/contract/messages.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { ApiError } from '../../runtime/api-error.ts';
import { sendWithRetry, withRetry } from './retry.ts';
import {
  type Destination,
  type Keeping,
  sendForm,
  setDestination,
  type UploadCallbacks,
  yesOrEmpty,
} from './send-form.ts';
import { videoProgress } from './upload-calls.ts';

/** More rounds would mean that the server loses chunks that it has acknowledged. */
const MAX_ROUNDS = 3;

export type VideoUpload = Destination &
  Keeping & {
    clientId: string;
    file: File;
    thumbnail: File | null;
    /** A list such as '1280x720,640x360'. An empty text keeps the size of the source. */
    resolution: string;
    timelinePreview: boolean;
  };

export const countChunks = ({ size }: Blob) => Math.max(1, Math.ceil(size / VIDEO_CHUNK_BYTES));

/** Returns the total size of the given chunks of a file, whose last chunk is shorter. */
export const chunkBytes = ({ size }: Blob, numbers: readonly number[]) =>
  numbers.reduce(
    (sum, one) => sum + Math.min(VIDEO_CHUNK_BYTES, size - one * VIDEO_CHUNK_BYTES),
    0,
  );

/**
 * Uploads the chunks of a video that are not in `received`, in sequence. The response to the last
 * chunk is the file.
 * @param sending.onChunk called with the number of chunks that the server has
 */
export function sendVideo(
  bucketId: string,
  upload: VideoUpload,
  received: readonly number[],
  sending: UploadCallbacks & { onChunk: (count: number) => void },
): Promise<FileWire> {
  const { file, clientId } = upload;
  const { signal, onPause } = sending;
  const total = countChunks(file);
  const path = `/files/upload/video/${encodeURIComponent(bucketId)}`;

  const sendChunk = async (number: number, before: readonly number[]) => {
    const bytesBefore = chunkBytes(file, before);
    const onSent = (bytes: number) =>
      sending.onSent(bytesBefore + Math.min(bytes, chunkBytes(file, [number])));
    const send = () =>
      sendForm<FileWire | { received: number }>(path, chunkForm(upload, number, total), {
        signal,
        onSent,
      });
    const response = await sendWithRetry(file, send, { signal, onPause });
    if ('id' in response) return response;
    sending.onChunk(before.length + 1);
    return null;
  };
  const getReceived = async () => {
    const state = await withRetry(() => videoProgress(bucketId, clientId), { signal, onPause });
    return state?.received ?? [];
  };
  return sendMissing(total, received, sendChunk, getReceived);
}

function chunkForm(upload: VideoUpload, number: number, total: number): FormData {
  const form = new FormData();
  form.set('chunk_number', String(number));
  form.set('total_chunks', String(total));
  form.set('client_id', upload.clientId);
  setDestination(form, upload);
  if (upload.isExact) form.set('optimize', 'no');
  else {
    form.set('resolution', upload.resolution);
    form.set('timeline_preview', yesOrEmpty(upload.timelinePreview));
    if (upload.thumbnail && number === 0) form.set('thumbnail', upload.thumbnail);
  }
  const start = number * VIDEO_CHUNK_BYTES;
  form.set('file', upload.file.slice(start, start + VIDEO_CHUNK_BYTES), upload.file.name);
  return form;
}

/** Returns a random id. `crypto.randomUUID` does not exist on plain http, as in a home network. */
export const newClientId = () => toHex(crypto.getRandomValues(new Uint8Array(16)));

/** Returns the SHA-256 of a file's first 9 MiB in hex, to tell videos of the same name and size apart. */
export async function hashFirstChunk(file: Blob): Promise<string> {
  const bytes = await file.slice(0, VIDEO_CHUNK_BYTES).arrayBuffer();
  // On plain http, browsers have `subtle` on localhost only.
  if (globalThis.crypto.subtle) {
    return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
  }
  const { sha256 } = await import('@noble/hashes/sha2.js');
  return toHex(sha256(new Uint8Array(bytes)));
}

/** Some browsers don't have `Uint8Array.toHex` yet. */
const toHex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** Returns the numbers below `total` that are not in `received`. */
export const findMissing = (total: number, received: readonly number[]) => {
  const there = new Set(received);
  return Array.from({ length: total }, (_, number) => number).filter((one) => !there.has(one));
};

/**
 * Sends the missing chunks in sequence until the response to one is the file. If the server has
 * deleted some after a pause of a day, they are sent again.
 * @param sendChunk sends a chunk and returns null while others are missing; `before` lists the chunks
 * that the server has without it
 * @param getReceived asks the server which chunks it has
 */
export async function sendMissing<Made>(
  total: number,
  received: readonly number[],
  sendChunk: (number: number, before: readonly number[]) => Promise<Made | null>,
  getReceived: () => Promise<readonly number[]>,
): Promise<Made> {
  let arrived = [...received];
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const missing = findMissing(total, arrived);
    // The server has all chunks, but its response was lost: the last chunk again returns the file.
    for (const number of missing.length > 0 ? missing : [total - 1]) {
      const before = arrived.filter((one) => one !== number);
      const result = await sendChunk(number, before);
      if (result !== null) return result;
      arrived = [...before, number];
    }
    arrived = [...(await getReceived())];
  }
  throw new ApiError(200, MESSAGES.unexpected);
}
