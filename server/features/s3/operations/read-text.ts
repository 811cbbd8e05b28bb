import { MIB } from '../../../contract/limits.ts';
import { receivePayload } from '../auth/receive-payload.ts';
import type { ServiceContext } from '../context.ts';
import { S3Error } from '../errors.ts';

/** As in S3 for the lists of keys to delete, which are the largest documents. */
const MAX_TEXT_BYTES = 2 * MIB;

/** Returns the body of a request as text, once all of it has been verified. Throws MalformedXML. */
export async function readText(
  { request, caller }: Pick<ServiceContext, 'request' | 'caller'>,
  options: { hasChecksumOfObject?: boolean } = {},
): Promise<string> {
  const payload = receivePayload(caller, request.headers, request.body, options);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of payload.body) {
    bytes += piece.byteLength;
    if (bytes > MAX_TEXT_BYTES) throw new S3Error('MalformedXML', 'The XML is too large.');
    pieces.push(piece);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
  } catch {
    throw new S3Error('MalformedXML', 'The XML is not in UTF-8.');
  }
}
