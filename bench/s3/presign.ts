import {
  canonicalPath,
  canonicalQuery,
  canonicalRequest,
  stringToSign,
} from '../../server/features/s3/auth/canonical-request.ts';
import { deriveSigningKey, sign } from '../../server/features/s3/auth/signing-key.ts';
import { formatTimestamp } from '../../server/features/s3/auth/timestamp.ts';

export type Credentials = { accessKeyId: string; secretAccessKey: string };
/** Returns the path and the query of a request that is signed for a day, whatever body it has. */
export type Presign = (method: string, path: string, query?: Record<string, string>) => string;

const REGION = 'us-east-1';

/** Returns what signs requests to a server, in a few microseconds each: a client that signs costs more than a server. */
export function presignFor(
  origin: string,
  { accessKeyId, secretAccessKey }: Credentials,
  region: string = REGION,
): Presign {
  const { host } = new URL(origin);
  const timestamp = formatTimestamp(Date.now());
  const date = timestamp.slice(0, 8);
  const scope = `${date}/${region}/s3/aws4_request`;
  const signingKey = deriveSigningKey(secretAccessKey, { date, region });
  return (method, path, query = {}) => {
    const parameters = {
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': `${accessKeyId}/${scope}`,
      'X-Amz-Date': timestamp,
      'X-Amz-Expires': '86400',
      'X-Amz-SignedHeaders': 'host',
      ...query,
    };
    const raw = Object.entries(parameters)
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&');
    const request = canonicalRequest({
      ...{ method, path: canonicalPath(path), query: canonicalQuery(raw) },
      ...{ headers: new Map([['host', host]]), payloadHash: 'UNSIGNED-PAYLOAD' },
    });
    const signature = sign(signingKey, stringToSign(request, timestamp, scope));
    return `${path}?${raw}&X-Amz-Signature=${signature}`;
  };
}
