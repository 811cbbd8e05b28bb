import { SECOND, VIDEO_CHUNK_BYTES } from '../../server/contract/limits.ts';
import type { Access, FileWire } from '../../server/contract/wire.ts';
import { ApiFailure } from '../failure.ts';
import { sendForm } from './send-form.ts';

export type VideoUpload = {
  file: File;
  thumbnail: File | null;
  access: Access;
  /** 'WIDTHxHEIGHT', separated by commas; empty keeps the source's size. */
  resolution: string;
  timelinePreview: boolean;
};

const TRIES = 8;
const LONGEST_WAIT = 8 * SECOND;
/** No answer, or a proxy that says the server is away: the chunk is idempotent, so send it again. */
const PASSING = [0, 502, 503, 504];

/** Uploads one video chunk by chunk, in sequence. The answer to the last one is the file. */
export async function sendVideo(
  bucketId: string,
  upload: VideoUpload,
  onSent: (bytes: number) => void,
): Promise<FileWire> {
  const total = Math.max(1, Math.ceil(upload.file.size / VIDEO_CHUNK_BYTES));
  const clientId = newClientId();
  let answer: FileWire | undefined;
  for (let number = 0; number < total; number += 1) {
    const start = number * VIDEO_CHUNK_BYTES;
    const form = chunkForm(upload, { number, total, start, clientId });
    answer = await sendPatiently(bucketId, form, (bytes) =>
      onSent(Math.min(upload.file.size, start + bytes)),
    );
  }
  return answer as FileWire;
}

function chunkForm(
  upload: VideoUpload,
  chunk: { number: number; total: number; start: number; clientId: string },
): FormData {
  const form = new FormData();
  form.set('chunk_number', String(chunk.number));
  form.set('total_chunks', String(chunk.total));
  form.set('client_id', chunk.clientId);
  form.set('access', upload.access);
  form.set('resolution', upload.resolution);
  form.set('timeline_preview', upload.timelinePreview ? 'yes' : '');
  if (upload.thumbnail && chunk.number === 0) form.set('thumbnail', upload.thumbnail);
  const bytes = upload.file.slice(chunk.start, chunk.start + VIDEO_CHUNK_BYTES);
  form.set('file', bytes, upload.file.name);
  return form;
}

async function sendPatiently(bucketId: string, form: FormData, onSent: (bytes: number) => void) {
  const path = `/files/upload/video/${encodeURIComponent(bucketId)}`;
  for (let tried = 1; ; tried += 1) {
    try {
      return await sendForm<FileWire>(path, form, onSent);
    } catch (error) {
      const passing = error instanceof ApiFailure && PASSING.includes(error.status);
      if (!passing || tried === TRIES) throw error;
      const wait = Math.min(LONGEST_WAIT, SECOND * 2 ** (tried - 1));
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

/** `crypto.randomUUID` is missing on plain http, where people try things at home. */
const newClientId = () =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
