import { sha256Hex } from '../canonical-request.ts';
import { sign } from '../signing-key.ts';
import type { ChunkSigning } from '../types.ts';

type Options = {
  signing: ChunkSigning | null;
  /** Trailing headers, in the order in which they are sent. */
  trailers?: [name: string, value: string][] | null;
};

/** Returns a body in the chunks of `aws-chunked`, as a client sends it. */
export function chunkedBody(chunks: Uint8Array[], { signing, trailers = null }: Options): Buffer {
  let previous = signing?.seed ?? '';
  const signNext = (algorithm: string, digest: string) => {
    if (!signing) return '';
    const { signingKey, timestamp, scope } = signing;
    previous = sign(signingKey, [algorithm, timestamp, scope, previous, digest].join('\n'));
    return previous;
  };
  const header = (chunk: Uint8Array) => {
    const digest = `${sha256Hex('')}\n${sha256Hex(chunk)}`;
    const signature = signNext('AWS4-HMAC-SHA256-PAYLOAD', digest);
    return `${chunk.length.toString(16)}${signing ? `;chunk-signature=${signature}` : ''}\r\n`;
  };
  const parts: (string | Uint8Array)[] = chunks.flatMap((chunk) => [header(chunk), chunk, '\r\n']);
  parts.push(header(new Uint8Array()));
  if (trailers) {
    const lines = trailers.map(([name, value]) => `${name}:${value}`);
    parts.push(...lines.map((line) => `${line}\r\n`));
    const digest = sha256Hex(lines.map((line) => `${line}\n`).join(''));
    const signature = signNext('AWS4-HMAC-SHA256-TRAILER', digest);
    if (signing) parts.push(`x-amz-trailer-signature:${signature}\r\n`);
  }
  parts.push('\r\n');
  return Buffer.concat(parts.map((part) => Buffer.from(part as string)));
}
