import { VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import type { Access, FileWire } from '../../../server/contract/wire.ts';
import { yesOrEmpty } from '../../ui/form/checkbox.tsx';
import { sendWithRetry, withRetry } from './retry.ts';
import { sendForm, type UploadCallbacks } from './send-form.ts';
import { sendMissing } from './send-missing.ts';
import { videoProgress } from './upload-calls.ts';

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
