import type { BucketDetailWire, FilePageWire, FileWire } from '../../server/contract/wire.ts';
import type { ServerProcess } from '../../tests/support/server/server-process.ts';

const TIMEOUT_MS = 300_000;

/** Uploads a video in one chunk and waits until all of its sizes are encoded. Throws where they are not. */
export async function sendClip(
  { url }: ServerProcess,
  { id, api_key }: BucketDetailWire,
  clip: Uint8Array<ArrayBuffer>,
): Promise<FileWire> {
  const headers = { 'x-api-key': api_key };
  const fields = {
    client_id: crypto.randomUUID(),
    chunk_number: '0',
    total_chunks: '1',
    access: 'public',
    resolution: '1280x720,640x360',
    timeline_preview: '',
  };
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  body.set('file', new File([clip], 'clip.mp4', { type: 'video/mp4' }));
  const response = await fetch(`${url}/files/upload/video/${id}`, {
    method: 'POST',
    headers,
    body,
  });
  if (response.status !== 201)
    throw new Error(`A video was not taken: ${response.status} ${await response.text()}`);
  const file = (await response.json()) as FileWire;
  for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; await Bun.sleep(1000)) {
    const listed = await fetch(`${url}/files/${id}?file_type=video`, { headers });
    const now = ((await listed.json()) as FilePageWire).data.find((one) => one.id === file.id);
    if (now?.status === 'error') throw new Error(`A video failed: ${now.error}`);
    if (now?.status === 'success') return now;
  }
  throw new Error('A video was not ready in time.');
}
