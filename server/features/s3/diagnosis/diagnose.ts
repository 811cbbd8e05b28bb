import { SECOND } from '../../../contract/limits.ts';
import type { FoundKey } from '../auth/authenticate.ts';
import { signedPayloadHash } from '../auth/payload-mode.ts';
import { requireInTime } from '../auth/request-time.ts';
import { requireSignature, requireSignedHeaders } from '../auth/signature-check.ts';
import { readSignature, type SignatureParameters } from '../auth/signature-parameters.ts';
import type { SigningKeys } from '../auth/signing-key.ts';
import type { SignedRequest } from '../auth/types.ts';
import { S3Error } from '../errors.ts';
import { bucketOfHost } from '../request.ts';

/** What was found about a request. It has no signature and no secret. */
export type RequestFinding = { ok: boolean; text: string };

export type DiagnosisDeps = {
  /** Returns a key that the asker may know of; undefined for any other, which is then not told from none. */
  findKey: (accessKeyId: string) => Promise<FoundKey | undefined>;
  signingKeys: SigningKeys;
  /** The address of the S3 API, and the domain below which buckets have hosts. */
  config: { url: string; domain: string | null };
};

/**
 * Checks a request that a client has sent as this server would, and says what is wrong with it. Nothing is done that it
 * asks for.
 * @param now epoch milliseconds
 */
export async function diagnose(
  deps: DiagnosisDeps,
  request: SignedRequest,
  now: number,
): Promise<RequestFinding[]> {
  const findings = [addressFinding(request, deps.config)];
  const parameters = attempt(findings, () => readSignature(request));
  if (parameters === null) {
    findings.push(
      bad(
        'The request has no signature: neither an Authorization header nor X-Amz-Signature in its URL.',
      ),
    );
  }
  if (!parameters) return findings;
  attempt(findings, () => {
    requireInTime(parameters, now);
    findings.push(good(timeText(parameters, now)));
  });
  attempt(findings, () => requireSignedHeaders(request.headers, parameters));
  await checkSignature(deps, request, parameters, { findings, now });
  return findings;
}

const good = (text: string): RequestFinding => ({ ok: true, text });
const bad = (text: string): RequestFinding => ({ ok: false, text });

/** Returns what a check returns; undefined where it refuses the request, which is then a finding. */
function attempt<Result>(findings: RequestFinding[], check: () => Result): Result | undefined {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    findings.push(bad(error.message));
    return undefined;
  }
}

function addressFinding({ headers, rawPath }: SignedRequest, config: DiagnosisDeps['config']) {
  const host = headers.get('host') ?? '';
  const { host: expected, pathname } = new URL(config.url);
  const base = pathname === '/' ? '' : pathname;
  const isOwn = host === expected || bucketOfHost(host, config.domain) !== null;
  if (!isOwn) {
    return bad(
      `The request is for the host ${host}, and the address of the S3 API is ${config.url}. Use that as the endpoint of the client.`,
    );
  }
  if (base !== '' && rawPath !== base && !rawPath.startsWith(`${base}/`)) {
    return bad(
      `The path doesn't begin with ${base}. Use ${config.url} as the endpoint of the client.`,
    );
  }
  return good(`The request is for the address of the S3 API, ${config.url}.`);
}

function timeText({ at, expiresIn, region }: SignatureParameters, now: number): string {
  const scope = `The region ${region || '""'} works, like any other.`;
  if (expiresIn !== null) {
    return `The presigned URL is valid until ${new Date(at + expiresIn * SECOND).toISOString()}. ${scope}`;
  }
  return `It was signed ${Math.round(Math.abs(now - at) / SECOND)} seconds away from this server's clock, which may be 900. ${scope}`;
}

async function checkSignature(
  { findKey, signingKeys, config }: DiagnosisDeps,
  request: SignedRequest,
  parameters: SignatureParameters,
  { findings, now }: { findings: RequestFinding[]; now: number },
): Promise<void> {
  const { accessKeyId, signedHeaders } = parameters;
  const key = await findKey(accessKeyId);
  if (!key) {
    findings.push(
      bad(
        `You have no S3 key with the access key ID ${accessKeyId}. It may have been deleted, or belong to another account.`,
      ),
    );
    return;
  }
  attempt(findings, () => key.use(now));
  attempt(findings, () => {
    const payloadHash = signedPayloadHash(request, parameters);
    const signingKey = signingKeys.get(key.secret, parameters);
    const hosts = [new URL(config.url).host];
    requireSignature({ request, parameters, payloadHash, signingKey, hosts });
    findings.push(
      good(
        `The signature is right for the request as you pasted it. If the server refuses it nevertheless, something on the way changes it: its method, path or query, or one of the signed headers ${signedHeaders.join(', ')}.`,
      ),
    );
  });
}
