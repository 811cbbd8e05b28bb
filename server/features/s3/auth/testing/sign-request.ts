import {
  canonicalHeaders,
  canonicalPath,
  canonicalQuery,
  canonicalRequest,
  stringToSign,
} from '../canonical-request.ts';
import { deriveSigningKey, sign } from '../signing-key.ts';
import { formatTimestamp } from '../timestamp.ts';
import type { SignedRequest } from '../types.ts';
import { ACCESS_KEY_ID, NOW, requestTo, SECRET } from './example-key.ts';

type Options = {
  method?: string;
  target?: string;
  headers?: Record<string, string>;
  secret?: string;
  accessKeyId?: string;
  /** Epoch milliseconds. */
  at?: number;
  region?: string;
  /** Headers that the client signs with other values than those that arrive, or not at all (null). */
  signedAs?: Record<string, string | null>;
  /** The path that the client signs, where it isn't the one that arrives. */
  signedTarget?: string;
};

/** Returns a request with its signature by header, as a client that may be wrong makes it. */
export function signRequest(options: Options = {}): SignedRequest {
  const { method = 'GET', target = '/bucket/key', at = NOW, region = 'us-east-1' } = options;
  const { accessKeyId = ACCESS_KEY_ID, secret = SECRET, signedAs = {} } = options;
  const timestamp = formatTimestamp(at);
  const request = requestTo(method, target, {
    host: 's3.example.com',
    'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
    'x-amz-date': timestamp,
    ...options.headers,
  });
  const seen = new Headers(request.headers);
  for (const [name, value] of Object.entries(signedAs)) {
    if (value === null) seen.delete(name);
    else seen.set(name, value);
  }
  const names = [...seen.keys()].sort();
  const { rawPath, rawQuery } = requestTo(method, options.signedTarget ?? target, {});
  const canonical = canonicalRequest({
    method,
    path: canonicalPath(rawPath),
    query: canonicalQuery(rawQuery),
    headers: canonicalHeaders(seen, names),
    payloadHash: seen.get('x-amz-content-sha256') ?? '',
  });
  const date = timestamp.slice(0, 8);
  const scope = `${date}/${region}/s3/aws4_request`;
  const key = deriveSigningKey(secret, { date, region });
  const signature = sign(key, stringToSign(canonical, timestamp, scope));
  request.headers.set(
    'authorization',
    `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  );
  return request;
}
