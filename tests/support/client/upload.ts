import type { FileWire } from '../../../server/contract/wire.ts';
import { form, settledFile, type TestServer } from '../server/server.ts';

/** Uploads a file with a bucket's key, in one chunk where it is a video, and waits until it is processed. */
export async function upload(
  server: TestServer,
  bucket: { id: string; api_key: string },
  kind: 'image' | 'video',
  fields: Record<string, string>,
  bytes: Buffer,
  name: string,
): Promise<FileWire> {
  const chunk = { client_id: crypto.randomUUID(), chunk_number: '0', total_chunks: '1' };
  const answer = await fetch(`${server.url}/files/upload/${kind}/${bucket.id}`, {
    method: 'POST',
    headers: { 'x-api-key': bucket.api_key },
    body: form(
      kind === 'video' ? { ...chunk, ...fields } : fields,
      new Blob([bytes as never]),
      name,
    ),
  });
  const { id } = (await answer.json()) as FileWire;
  return settledFile(server, bucket, id);
}

/** A token of a bucket, as its owner mints it. `expires` is in epoch seconds, 0 for never. */
export async function mintToken(
  server: TestServer,
  bucket: { id: string; api_key: string },
  {
    scope = 'read',
    expires = 0,
    fileId,
  }: { scope?: string; expires?: number; fileId?: string } = {},
): Promise<string> {
  const answer = await fetch(`${server.url}/buckets/jwt/${bucket.id}/${expires}/${scope}`, {
    method: 'POST',
    headers: { 'x-api-key': bucket.api_key, 'content-type': 'application/json' },
    body: JSON.stringify({ fileId }),
  });
  return ((await answer.json()) as { jwt: string }).jwt;
}
