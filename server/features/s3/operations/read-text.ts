import { KIB, MIB } from '../../../contract/limits.ts';
import { receivePayload } from '../auth/receive-payload.ts';
import type { ServiceContext } from '../context.ts';
import { S3Error } from '../errors.ts';
import { parseLongXml, type XmlElement } from '../xml/parse.ts';

/** A bucket keeps 64 KiB of a configuration, which can be longer as XML with its references. */
const MAX_TEXT_BYTES = 256 * KIB;
/** As in S3 for the lists of keys to delete, which are the largest documents beside those of 10,000 parts. */
export const MAX_LIST_BYTES = 2 * MIB;

type Options = { maxBytes?: number; hasChecksumOfObject?: boolean };

/** Returns the body of a request as text, once all of it has been verified. Throws MalformedXML. */
export async function readText(
  { request, caller }: Pick<ServiceContext, 'request' | 'caller'>,
  { maxBytes = MAX_TEXT_BYTES, ...options }: Options = {},
): Promise<string> {
  const payload = receivePayload(caller, request.headers, request.body, options);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of payload.body) {
    bytes += piece.byteLength;
    if (bytes > maxBytes) throw new S3Error('MalformedXML', 'The XML is too large.');
    pieces.push(piece);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
  } catch {
    throw new S3Error('MalformedXML', 'The XML is not in UTF-8.');
  }
}

/** Returns the body of a request as XML. Throws MalformedXML. */
export const readXml = async (
  context: Pick<ServiceContext, 'request' | 'caller'>,
  options: Options = {},
): Promise<XmlElement> => parseLongXml(await readText(context, options));
