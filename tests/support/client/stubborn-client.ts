import { MIB, VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import type { FilePageWire, FileWire } from '../../../server/contract/wire.ts';
import { form } from './api.ts';
import { locationOf } from './tus.ts';

type Target = {
  url: string;
  bucket: { id: string; api_key: string };
  /** Sends a request, possibly to another server than the URL's. Throws if it should be repeated. */
  send?: (url: string, init: RequestInit) => Promise<Response>;
};
/** The size of one request of a tus upload. */
const PATCH_BYTES = MIB / 4;

/** The connection broke during a request, which the server may or may not have handled. */
class CutOffError extends Error {}

/**
 * Upload clients that resume after every crash of the server, and that throw if the server has lost
 * anything that it acknowledged. Each resolves with the id of its file.
 */
export function stubbornClient({ url, bucket, send = fetch }: Target) {
  const headers = { 'x-api-key': bucket.api_key };
  const tus = { ...headers, 'tus-resumable': '1.0.0' };

  const call = async (path: string, init: RequestInit = {}): Promise<Response> => {
    try {
      const response = await send(path, { ...init, headers: { ...headers, ...init.headers } });
      // Reading the body here makes a broken connection fail inside the `try`.
      return new Response(
        [204, 304].includes(response.status) ? null : await response.arrayBuffer(),
        response,
      );
    } catch {
      throw new CutOffError();
    }
  };

  const patiently = async <Result>(attempt: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof CutOffError)) throw error;
        await Bun.sleep(50);
      }
    }
  };

  const expectStatus = async (response: Response, ...statuses: number[]) => {
    if (statuses.includes(response.status)) return response;
    throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`);
  };

  const list = (): Promise<FileWire[]> =>
    patiently(async () => {
      const response = await expectStatus(await call(`${url}/files/${bucket.id}`), 200);
      return ((await response.json()) as FilePageWire).data;
    });

  /** After a lost response the list of files tells whether the upload was completed. */
  async function sendForm(
    kind: 'file' | 'image',
    bytes: Uint8Array,
    name: string,
    fields: Record<string, string>,
  ): Promise<string> {
    for (;;) {
      const there = (await list()).find((file) => file.name === name);
      if (there) return there.id;
      try {
        const body = form(fields, new Blob([bytes as never]), name);
        const path = `${url}/files/upload/${kind}/${bucket.id}`;
        const response = await expectStatus(await call(path, { method: 'POST', body }), 201);
        return ((await response.json()) as FileWire).id;
      } catch (error) {
        if (!(error instanceof CutOffError)) throw error;
      }
    }
  }

  return {
    list,

    image: (bytes: Uint8Array, name: string): Promise<string> =>
      sendForm('image', bytes, name, { access: 'public', webp: 'yes' }),

    file: (bytes: Uint8Array, name: string): Promise<string> =>
      sendForm('file', bytes, name, { access: 'public' }),

    async chunked(bytes: Uint8Array, id: string, resolution: string): Promise<string> {
      const path = `${url}/files/upload/video/${bucket.id}`;
      const total = Math.ceil(bytes.length / VIDEO_CHUNK_BYTES);
      const acknowledged = new Set<number>();
      return patiently(async () => {
        const response = await expectStatus(await call(`${path}/${id}`), 200, 404);
        const { received = [], file_id: fileId = null } =
          response.status === 200
            ? ((await response.json()) as { received: number[]; file_id: string })
            : {};
        for (const number of acknowledged) {
          if (!received.includes(number)) throw new Error(`Chunk ${number} of ${id} is lost.`);
        }
        if (fileId) return fileId;
        for (let number = 0; number < total; number += 1) {
          if (received.includes(number)) continue;
          const from = number * VIDEO_CHUNK_BYTES;
          const body = form(
            { client_id: id, chunk_number: `${number}`, total_chunks: `${total}`, resolution },
            new Blob([bytes.subarray(from, from + VIDEO_CHUNK_BYTES) as never]),
            `${id}.mp4`,
          );
          const response = await expectStatus(await call(path, { method: 'POST', body }), 201, 202);
          acknowledged.add(number);
          if (response.status === 201) return ((await response.json()) as FileWire).id;
        }
        throw new Error(`All chunks of ${id} are there, and no file.`);
      });
    },

    async tus(bytes: Uint8Array, resolution: string): Promise<string> {
      const metadata = `resolution ${btoa(resolution)}`;
      const length = { 'upload-length': String(bytes.length), 'upload-metadata': metadata };
      const where = await patiently(async () => {
        const path = `${url}/files/tus/${bucket.id}`;
        const created = await call(path, { method: 'POST', headers: { ...tus, ...length } });
        return locationOf(await expectStatus(created, 201), url);
      });
      let acknowledged = 0;
      return patiently(async () => {
        const response = await expectStatus(
          await call(where, { method: 'HEAD', headers: tus }),
          200,
        );
        let offset = Number(response.headers.get('upload-offset'));
        if (offset < acknowledged) throw new Error(`${where} went back to ${offset}.`);
        if (offset === bytes.length) return fileOf(response, where);
        for (;;) {
          const response = await call(where, {
            method: 'PATCH',
            headers: {
              ...tus,
              'upload-offset': String(offset),
              'content-type': 'application/offset+octet-stream',
            },
            body: bytes.subarray(offset, offset + PATCH_BYTES) as never,
          });
          await expectStatus(response, 204);
          offset = Number(response.headers.get('upload-offset'));
          acknowledged = offset;
          if (offset === bytes.length) return fileOf(response, where);
        }
      });
    },
  };
}

/** Returns the file of a complete upload. Some responses have no id, but the upload's URL is unique. */
const fileOf = (response: Response, where: string) => response.headers.get('x-file-id') || where;
