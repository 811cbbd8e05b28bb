import { KIB } from '../../../contract/limits.ts';
import type { S3KeyPrincipal } from '../../access/principal.ts';
import { S3Error } from '../errors.ts';
import { parsePayload, signedPayloadHash } from './payload-mode.ts';
import { requireInTime } from './request-time.ts';
import { requireSignature, requireSignedHeaders } from './signature-check.ts';
import { readSignature } from './signature-parameters.ts';
import type { Secret, SigningKeys } from './signing-key.ts';
import type { S3Caller, SignedRequest } from './types.ts';

/** The length of an address and its headers; AWS accepts 8 KiB of headers. */
const MAX_REQUEST_LENGTH = 64 * KIB;

/** An access key that exists. */
export type FoundKey = {
  principal: S3KeyPrincipal;
  secret: Secret;
  /** Throws S3Error where the key has expired or its account is banned; else it counts as used. */
  use: (now: number) => void;
};

export type AuthenticateDeps = {
  findKey: (accessKeyId: string) => Promise<FoundKey | undefined>;
  signingKeys: SigningKeys;
  /**
   * The hosts that a client may have signed instead of the one that arrived, because a proxy has changed it. It must
   * be empty where the host that arrived names a bucket: else a URL for one bucket opened another.
   */
  hosts: readonly string[];
};

/**
 * Returns who sends a request, by its signature. The body is verified while it is received.
 * @param now epoch milliseconds
 * @throws S3Error where a signature is malformed, expired or wrong
 */
export async function authenticate(
  { findKey, signingKeys, hosts }: AuthenticateDeps,
  request: SignedRequest,
  now: number,
): Promise<S3Caller> {
  requireBounded(request);
  const parameters = readSignature(request);
  if (parameters === null) return { kind: 'anonymous' };
  requireNoDotSegments(request.rawPath);
  requireInTime(parameters, now);
  requireSignedHeaders(request.headers, parameters);
  const payloadHash = signedPayloadHash(request, parameters);
  const key = await findKey(parameters.accessKeyId);
  if (!key) throw noSuchKey(parameters.accessKeyId);
  const signingKey = signingKeys.get(key.secret, parameters);
  requireSignature({ request, parameters, payloadHash, signingKey, hosts });
  key.use(now);
  const { proof, signature: seed, timestamp, scope } = parameters;
  const payload = parsePayload(payloadHash, { seed, signingKey, timestamp, scope });
  const recheck = async () => {
    const current = await findKey(parameters.accessKeyId);
    if (!current) throw noSuchKey(parameters.accessKeyId);
    current.use(now);
  };
  return { kind: 'key', proof, principal: key.principal, payload, recheck };
}

/**
 * What is signed is hashed once for each form in which a proxy may have changed it, so it is limited here too and not
 * only by the parser of HTTP.
 */
function requireBounded({ rawPath, rawQuery, headers }: SignedRequest): void {
  let length = rawPath.length + rawQuery.length;
  for (const [name, value] of headers) length += name.length + value.length;
  if (length <= MAX_REQUEST_LENGTH) return;
  throw new S3Error('InvalidRequest', 'The address and the headers of the request are too long.');
}

/** URL parsers of clients and proxies resolve such segments, so their signature can't be told from a wrong one. */
function requireNoDotSegments(rawPath: string): void {
  if (!/(^|\/)(\.|%2e){1,2}(\/|$)/i.test(rawPath)) return;
  throw new S3Error('InvalidRequest', 'A key can’t have a segment that is "." or "..".');
}

/** Returns the error for an access key that doesn't exist. */
export const noSuchKey = (accessKeyId: string) =>
  new S3Error(
    'InvalidAccessKeyId',
    'No access key with this ID exists. It may have been deleted.',
    {
      AWSAccessKeyId: accessKeyId,
    },
  );
