import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { SECOND } from '../../contract/limits.ts';

/** A proxy that stores bodies before it passes them on answers after the last byte. */
const ANSWER_TIMEOUT_MS = 30 * SECOND;
/** A server or proxy that says nothing for so long after a head waits for the body. */
const BODY_DELAY_MS = SECOND;

type RawRequest = { method: string; lines: string[]; body?: Uint8Array };

/**
 * Sends a request by hand, because no client returns the status of a refused upgrade, nor sends the
 * head of a request before its body. A server or proxy that refuses by the head closes the connection,
 * and a body still on its way would then be answered with a reset, which loses the response. Rejects
 * if there is no response.
 */
export function requestByHand(
  url: URL,
  { method, lines, body }: RawRequest,
): Promise<{ status: number; head: string }> {
  const isTls = url.protocol === 'https:';
  const where = { host: url.hostname, port: Number(url.port) || (isTls ? 443 : 80) };
  const request = [
    `${method} ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    ...lines,
    ...(body ? [`Content-Length: ${body.length}`] : []),
  ];
  return new Promise((resolve, reject) => {
    const socket = isTls ? connectTls({ ...where, servername: url.hostname }) : connectTcp(where);
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => socket.destroy(new Error('no answer')));
    let sendsBody: Timer | undefined;
    let head = '';
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      socket.write(`${request.join('\r\n')}\r\n\r\n`);
      if (body) sendsBody = setTimeout(() => socket.write(body), BODY_DELAY_MS);
    });
    socket.on('data', (chunk: Buffer) => {
      head += chunk.toString('latin1');
      const status = /^HTTP\/1\.\d (\d{3})[\s\S]*?\r\n\r\n/.exec(head)?.[1];
      if (!status) return;
      resolve({ status: Number(status), head });
      socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => {
      clearTimeout(sendsBody);
      reject(new Error('the connection was closed'));
    });
  });
}
