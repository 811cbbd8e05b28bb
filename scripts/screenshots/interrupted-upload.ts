import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { ResumeEntry } from '../../islands/uploads/resume/resume-entries.ts';
import { MIB, UPLOAD_TTL_MS, VIDEO_CHUNK_BYTES } from '../../server/contract/limits.ts';
import { makeClip, padClip } from '../../tests/support/fixtures/make-media.ts';

const CHUNKS = 3;

export type Interrupted = { path: string; entry: ResumeEntry };

/**
 * Makes a video in `folder` and sends the first of its three chunks. Returns the entry that a browser
 * stores to resume it.
 */
export async function interruptUpload(
  { url, token, bucketId }: { url: string; token: string; bucketId: string },
  folder: string,
): Promise<Interrupted> {
  const path = join(folder, 'harbour-tour.mp4');
  await makeClip(path, { width: 1280, height: 720, seconds: 2 });
  await padClip(path, 20 * MIB);
  const chunk = await Bun.file(path).slice(0, VIDEO_CHUNK_BYTES).bytes();
  const clientId = 'harbour-tour';
  const body = new FormData();
  const fields = { client_id: clientId, chunk_number: '0', total_chunks: String(CHUNKS) };
  const options = { access: 'private', resolution: '1280x720', timeline_preview: '' };
  for (const [name, value] of Object.entries({ ...fields, ...options })) body.append(name, value);
  body.append('file', new Blob([chunk]), 'harbour-tour.mp4');
  const headers = { authorization: `Bearer ${token}` };
  const uploadUrl = `${url}/files/upload/video/${bucketId}`;
  const response = await fetch(uploadUrl, { method: 'POST', headers, body });
  if (response.status !== 202) throw new Error(`The chunk was not taken: ${await response.text()}`);
  return {
    path,
    entry: {
      bucketId,
      clientId,
      name: 'harbour-tour.mp4',
      size: 20 * MIB,
      lastModified: Math.floor((await stat(path)).mtimeMs),
      sha256: new Bun.CryptoHasher('sha256').update(chunk).digest('hex'),
      access: 'private',
      resolution: '1280x720',
      timelinePreview: false,
      received: 1,
      expires: Date.now() + UPLOAD_TTL_MS,
    },
  };
}

/** Stores the entry in the browser, as after a reload in the middle of the upload. */
export const rememberUpload = (page: Page, { entry }: Interrupted) =>
  page.evaluate(({ key, stored }) => localStorage.setItem(key, stored), {
    key: `unfinished-upload ${entry.bucketId} ${entry.clientId}`,
    stored: JSON.stringify(entry),
  });
