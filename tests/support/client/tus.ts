import { connect } from 'node:net';
import type { TestServer } from '../server/server.ts';
import { storedObjects } from '../server/stored-objects.ts';

type Headers = Record<string, string>;

/** Encodes the header `upload-metadata`. */
export const encode = (metadata: Record<string, string>) =>
  Object.entries(metadata)
    .map(([name, value]) => `${name} ${btoa(value)}`)
    .join(',');

/** Returns the URL of a new upload, which may be relative to the URL of the request. */
export const locationOf = (response: Response, requested = response.url) =>
  new URL(response.headers.get('location') ?? '', requested).href;

/** A tus client without a library, so that tests can violate the protocol. */
export function speakTus(
  server: Pick<TestServer, 'url'> | TestServer,
  bucket: { id: string; api_key: string },
) {
  const endpoint = `${server.url}/files/tus/${bucket.id}`;
  const key = { 'x-api-key': bucket.api_key };

  const call = (method: string, url: string, headers: Headers = {}, body?: BodyInit) =>
    fetch(url, { method, headers: { 'tus-resumable': '1.0.0', ...key, ...headers }, body });

  return {
    endpoint,
    key,
    call,

    create: (length: number, metadata: Record<string, string> = {}, headers: Headers = {}) =>
      call('POST', endpoint, {
        'upload-length': String(length),
        ...(Object.keys(metadata).length > 0 && { 'upload-metadata': encode(metadata) }),
        ...headers,
      }),

    patch(url: string, offset: number, bytes: Uint8Array, headers: Headers = {}) {
      const requestHeaders = {
        'upload-offset': String(offset),
        'content-type': 'application/offset+octet-stream',
      };
      return call('PATCH', url, { ...requestHeaders, ...headers }, bytes as never);
    },

    offsetOf: async (url: string) => Number((await call('HEAD', url)).headers.get('upload-offset')),

    /** Sends fewer bytes than its `content-length` and closes the connection. */
    sendAndCut(url: URL, offset: number, bytes: Uint8Array, headers: Headers = {}): Promise<void> {
      const more = Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('');
      return new Promise((resolve) => {
        const socket = connect(Number(url.port), url.hostname, () => {
          socket.write(
            `PATCH ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nTus-Resumable: 1.0.0\r\nX-Api-Key: ${bucket.api_key}\r\nUpload-Offset: ${offset}\r\nContent-Type: application/offset+octet-stream\r\nContent-Length: ${bytes.length + 1000}\r\n${more}\r\n`,
          );
          socket.write(bytes, () => setTimeout(() => socket.destroy(), 80));
        });
        socket.on('close', () => resolve());
        socket.on('error', () => {});
      });
    },

    /**
     * Returns the keys of the objects of incomplete uploads that are not among `before`, of a server whose database is
     * at hand. Those of earlier uploads may go at any time.
     */
    objects: async (before: string[] = []) =>
      (await storedObjects(server as TestServer, 'u/')).filter((key) => !before.includes(key)),
  };
}
