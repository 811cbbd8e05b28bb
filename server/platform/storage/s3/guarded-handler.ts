import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { MIB } from '../../../contract/limits.ts';
import { requireAllowedUrl } from '../../outbound/allowed-url.ts';
import { DownloadError } from '../../outbound/download-error.ts';
import { type GuardOptions, getGuarded, openGuarded } from '../../outbound/guarded-response.ts';

/** A signed request of the library, as far as it concerns one without a body. */
type SignedRequest = {
  method: string;
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  query?: Record<string, string | string[] | null>;
  headers: Record<string, string>;
};

/** The library collects lists and errors in memory. A list of 1,000 long keys has some 4 MiB. */
const MAX_DOCUMENT_BYTES = 8 * MIB;

const NEVER = new AbortController().signal;

/**
 * Returns what sends the library's requests to a server that a user has chosen, each to an address that was judged. It
 * sends GET only, follows no redirects, and bounds the time by stalls.
 */
export function guardedHandler(
  options: GuardOptions,
): NonNullable<S3ClientConfig['requestHandler']> {
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    httpHandlerConfigs: () => ({}),
    updateHttpClientConfig() {},
    destroy() {},
    async handle(request: SignedRequest, { abortSignal }: { abortSignal?: AbortSignal } = {}) {
      const { method, protocol, hostname, port, path, query, headers } = request;
      if (method !== 'GET') throw new Error(`A remote bucket is only read, not ${method}.`);
      const url = new URL(`${protocol}//${hostname}${port ? `:${port}` : ''}/`);
      requireAllowedUrl(url, options);
      const target = path + toQuery(query ?? {});
      const { response, length, body } = await openGuarded(
        abortSignal ?? NEVER,
        options.stallMs,
        async (guarded) => ({
          response: await getGuarded(url, { ...options, ...guarded, headers, target }),
        }),
      );
      const received = toRecord(response.headers);
      // A length that does not bound the body would be taken for its length.
      if (length === null) delete received['content-length'];
      const isObject = query?.['x-id'] === 'GetObject' && response.statusCode === 200;
      return {
        response: {
          statusCode: response.statusCode ?? 0,
          headers: received,
          body: Readable.from(isObject ? body : limited(body), { objectMode: false }),
        },
      };
    },
  } as NonNullable<S3ClientConfig['requestHandler']>;
}

async function* limited(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const bytes of body) {
    size += bytes.byteLength;
    if (size > MAX_DOCUMENT_BYTES) throw new DownloadError('The S3 server sent too long a list.');
    yield bytes;
  }
}

/** As the library signs them (RFC 3986). */
const encode = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

function toQuery(query: NonNullable<SignedRequest['query']>): string {
  const parts = Object.entries(query).flatMap(([name, values]) =>
    [values ?? ''].flat().map((value) => `${encode(name)}=${encode(value)}`),
  );
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

const toRecord = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
  );
