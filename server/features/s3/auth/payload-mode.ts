import { S3Error } from '../errors.ts';
import type { SignatureParameters } from './signature-parameters.ts';
import type { ChunkSigning, Payload, SignedRequest } from './types.ts';

const SHA256 = /^[0-9a-f]{64}$/i;

/**
 * Returns the hash of the payload as it was signed: what the client says that the body is, which may be a mode
 * instead of a hash. Throws S3Error where a request that is signed by header doesn't say.
 */
export function signedPayloadHash(
  { headers, rawQuery }: SignedRequest,
  { proof }: Pick<SignatureParameters, 'proof'>,
): string {
  const sent = headers.get('x-amz-content-sha256');
  if (sent !== null) return sent;
  if (proof === 'presigned') {
    return new URLSearchParams(rawQuery).get('X-Amz-Content-Sha256') ?? 'UNSIGNED-PAYLOAD';
  }
  throw new S3Error('InvalidRequest', 'The header x-amz-content-sha256 is missing.');
}

/**
 * Returns how a body is sent. Throws S3Error for a mode that isn't supported: bytes with an unknown framing must
 * never be stored as an object.
 */
export function parsePayload(hash: string, signing: ChunkSigning): Payload {
  switch (hash) {
    case 'UNSIGNED-PAYLOAD':
      return { mode: 'unsigned' };
    case 'STREAMING-UNSIGNED-PAYLOAD-TRAILER':
      return { mode: 'chunked', hasTrailer: true, signing: null };
    case 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD':
      return { mode: 'chunked', hasTrailer: false, signing };
    case 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER':
      return { mode: 'chunked', hasTrailer: true, signing };
  }
  if (SHA256.test(hash)) return { mode: 'signed', sha256: hash.toLowerCase() };
  throw new S3Error(
    'InvalidArgument',
    'The header x-amz-content-sha256 must be a SHA-256 in hex, UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, STREAMING-AWS4-HMAC-SHA256-PAYLOAD or STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER.',
    { ArgumentName: 'x-amz-content-sha256', ArgumentValue: hash.slice(0, 100) },
  );
}
