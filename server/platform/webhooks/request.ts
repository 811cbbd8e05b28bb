import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { retryAfterOf } from './schedule.ts';

/** What an endpoint answered: as much of its body as is worth keeping. */
export type Answer = {
  status: number;
  text: string;
  /** Milliseconds to wait that the endpoint asked for. */
  retryAfter: number | null;
};

export type Post = {
  url: URL;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
  /** Epoch milliseconds. */
  now: number;
  /** Certificates to trust in place of the system's, PEM. */
  ca?: string;
};

const ANSWER_BYTES = 1024;
/** Nothing has been sent when one of these ends a connection. */
const NOT_CONNECTED = ['ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL'];

/** Posts to the first of these addresses that can be connected to. Rejects where no answer comes. */
export async function postTo(addresses: string[], post: Post): Promise<Answer> {
  for (const [index, address] of addresses.entries()) {
    try {
      return await postToOne(address, post);
    } catch (error) {
      const next = NOT_CONNECTED.includes((error as NodeJS.ErrnoException).code ?? '');
      if (!next || index === addresses.length - 1) throw error;
    }
  }
  throw new Error('no address');
}

/**
 * The connection goes to `address`, whatever the name may lead to by now; the name is what the Host
 * header and the certificate are about. Not by `fetch`: that obeys HTTP_PROXY, and unpacks answers.
 */
function postToOne(address: string, { url, headers, body, signal, now, ca }: Post) {
  const secure = url.protocol === 'https:';
  const options: https.RequestOptions = {
    host: address,
    port: url.port || (secure ? 443 : 80),
    method: 'POST',
    path: `${url.pathname}${url.search}`,
    headers: { host: url.host, 'content-length': String(Buffer.byteLength(body)), ...headers },
    agent: false,
    signal,
    ...(secure && {
      ca,
      ...(!isIP(url.hostname.replace(/[[\]]/g, '')) && { servername: url.hostname }),
    }),
  };
  return new Promise<Answer>((resolve, reject) => {
    const request = (secure ? https : http).request(options, (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      const answer = () =>
        resolve({
          status: response.statusCode ?? 0,
          text: plain(Buffer.concat(parts).subarray(0, ANSWER_BYTES)),
          retryAfter: retryAfterOf(response.headers['retry-after'], now),
        });
      response.on('data', (part: Buffer) => {
        parts.push(part);
        bytes += part.length;
        if (bytes < ANSWER_BYTES) return;
        answer();
        request.destroy();
      });
      response.on('end', answer);
      response.on('error', reject);
    });
    request.on('upgrade', (response, socket) => {
      resolve({ status: response.statusCode ?? 101, text: '', retryAfter: null });
      socket.destroy();
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Text of one line that a page or a database can hold: no control characters. */
const plain = (bytes: Buffer) =>
  bytes
    .toString('utf8')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
