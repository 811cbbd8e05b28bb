import { expect } from 'bun:test';
import type { FileEvent } from '../../../server/contract/events.ts';
import type { BucketDetailWire, FileWire } from '../../../server/contract/wire.ts';
import { signUp } from '../client/api.ts';
import { until } from '../client/until.ts';
import { APP_URL } from './scaled.ts';
import { form } from './server.ts';

type Process = { url: string };
/** The processes that answer, and how any of them is asked. */
type Webs = {
  webs: readonly [Process & { outbox: string | string[] }, ...Process[]];
  send(url: string, init?: RequestInit): Promise<Response>;
};

/** The same path at one of the processes. */
export const at = ({ url }: Process, path: string | null) => path?.replace(APP_URL, url) ?? '';
export const keyOf = ({ api_key }: BucketDetailWire) => ({ 'x-api-key': api_key });

/** Uploads a file at one web process. */
export async function uploadAt(
  { url }: Process,
  bucket: BucketDetailWire,
  kind: 'image' | 'video',
  fields: Record<string, string>,
  bytes: Uint8Array,
): Promise<FileWire> {
  const chunk = { client_id: crypto.randomUUID(), chunk_number: '0', total_chunks: '1' };
  const answer = await fetch(`${url}/files/upload/${kind}/${bucket.id}`, {
    method: 'POST',
    headers: keyOf(bucket),
    body: form({ ...chunk, ...fields }, new Blob([bytes as never]), 'a.bin'),
  });
  expect(answer.status).toBe(201);
  return (await answer.json()) as FileWire;
}

export type ScaledUser = Awaited<ReturnType<typeof scaledUser>>;

/** Somebody who signed up at the first web process, and asks both. */
export async function scaledUser(scaled: Webs) {
  const session = await signUp(scaled.webs[0], 'ada@example.com', 'a harbour at work');

  async function filesOf(bucket: BucketDetailWire) {
    const answer = await scaled.send(`${APP_URL}/files/${bucket.id}`, { headers: keyOf(bucket) });
    return (await answer.json()) as { data: FileWire[]; jwt: string };
  }

  return {
    token: session.token,
    bearer: { authorization: `Bearer ${session.token}` },
    filesOf,

    /** A file once it is not processed any more, and a token that opens it. */
    settled: (bucket: BucketDetailWire, id: string) =>
      until(async () => {
        const { data, jwt } = await filesOf(bucket);
        const file = data.find((one) => one.id === id && one.status !== 'processing');
        return file && { ...file, jwt };
      }),

    /** As an open page of the user does. */
    async listen({ url }: Process, heard: FileEvent[]): Promise<WebSocket> {
      const address = `${url.replace('http', 'ws')}/ws?user_id=${session.userId}`;
      const cookie = `wharf_session=${session.token}`;
      const socket = new WebSocket(address, { headers: { origin: APP_URL, cookie } } as never);
      socket.onmessage = ({ data }) => heard.push(JSON.parse(data));
      await until(async () => socket.readyState === WebSocket.OPEN);
      return socket;
    },
  };
}
