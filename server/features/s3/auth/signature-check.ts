import { S3Error } from '../errors.ts';
import {
  type CanonicalParts,
  canonicalHeaders,
  canonicalPath,
  canonicalQuery,
  canonicalRequest,
  stringToSign,
} from './canonical-request.ts';
import type { SignatureParameters } from './signature-parameters.ts';
import {
  describeDifference,
  findSignedDifference,
  type SignedDifference,
} from './signed-difference.ts';
import { isSameSignature, sign } from './signing-key.ts';
import type { SignedRequest } from './types.ts';

/** What Cloudflare and Google make of the header on the way, and clients sign. */
const ACCEPT_ENCODINGS = ['identity', 'gzip', 'gzip, br', ''];

type Check = {
  request: SignedRequest;
  parameters: SignatureParameters;
  payloadHash: string;
  signingKey: Uint8Array;
  /** Hosts that may have been signed instead of the one that was sent. */
  hosts: readonly string[];
};

/** Throws S3Error where headers are missing among the signed ones that change what a request means. */
export function requireSignedHeaders(
  headers: Headers,
  { signedHeaders }: Pick<SignatureParameters, 'signedHeaders'>,
): void {
  const signed = new Set(signedHeaders);
  const unsigned = [...headers.keys()].filter(
    (name) => (name === 'host' || name.startsWith('x-amz-')) && !signed.has(name),
  );
  if (!signed.has('host') && !unsigned.includes('host')) unsigned.push('host');
  if (unsigned.length === 0) return;
  throw new S3Error(
    'AccessDenied',
    `These headers were sent but not signed: ${unsigned.join(', ')}.`,
    {
      HeadersNotSigned: unsigned.join(', '),
    },
  );
}

/**
 * Throws SignatureDoesNotMatch where a request was not signed with the key. What a proxy may have changed on the way
 * is tried in the forms in which clients sign it; nothing else is.
 */
export function requireSignature(check: Check): void {
  const { request, parameters, payloadHash, signingKey } = check;
  const parts: CanonicalParts = {
    method: request.method,
    path: canonicalPath(request.rawPath),
    query: canonicalQuery(request.rawQuery),
    headers: canonicalHeaders(request.headers, parameters.signedHeaders),
    payloadHash,
  };
  const isSigned = (variant: CanonicalParts) => {
    const text = stringToSign(canonicalRequest(variant), parameters.timestamp, parameters.scope);
    return isSameSignature(sign(signingKey, text), parameters.signature);
  };
  for (const variant of variants(check, parts)) {
    if (isSigned(variant)) return;
  }
  const difference = findSignedDifference(request, parts, check.hosts, isSigned);
  throw mismatch(check, canonicalRequest(parts), difference);
}

function* variants({ request, hosts }: Check, parts: CanonicalParts): Generator<CanonicalParts> {
  yield parts;
  const sent = parts.headers.get('host') ?? '';
  const accepted = parts.headers.get('accept-encoding');
  const encodings = accepted === undefined ? [undefined] : [accepted, ...ACCEPT_ENCODINGS];
  for (const host of new Set([sent, sent.replace(/:(80|443)$/, ''), ...hosts])) {
    for (const path of new Set([parts.path, request.rawPath])) {
      for (const encoding of encodings) {
        const headers = new Map(parts.headers).set('host', host);
        if (encoding !== undefined) headers.set('accept-encoding', encoding);
        yield { ...parts, path, headers };
      }
    }
  }
}

/** The answer has what was signed here, so that it can be compared with the log of the client. */
function mismatch(
  { request, parameters, hosts }: Check,
  canonical: string,
  difference: SignedDifference | null,
): S3Error {
  const sent = request.headers.get('host') ?? '';
  const others = hosts.filter((host) => host !== sent);
  const missing = parameters.signedHeaders.filter((name) => !request.headers.has(name));
  const reason = difference
    ? describeDifference(difference)
    : missing.length > 0
      ? `The client has signed these headers, which did not arrive: ${missing.join(', ')}. A proxy must pass them on.`
      : `Check the secret access key and the endpoint of the client. ${hostHint(sent, others)}`;
  return new S3Error('SignatureDoesNotMatch', `The signature doesn't match. ${reason}`, {
    AWSAccessKeyId: parameters.accessKeyId,
    SignatureProvided: parameters.signature,
    StringToSign: stringToSign(canonical, parameters.timestamp, parameters.scope),
    CanonicalRequest: canonical,
    ...(others.length > 0 && { Host: sent, ExpectedHost: others.join(', ') }),
    ...(difference && {
      Difference: difference.what,
      SignedValue: difference.signed,
      ArrivedValue: difference.arrived,
    }),
    ...(missing.length > 0 && { MissingHeaders: missing.join(', ') }),
  });
}

const hostHint = (sent: string, others: string[]): string =>
  others.length === 0
    ? `The request arrived for the host ${sent}.`
    : `The request arrived for the host ${sent}, and the address of this server is ${others.join(' or ')}: a proxy must pass on the Host header that the client has signed.`;
