import { S3Error } from './errors.ts';

/** A request for the S3 API, with its path and query as they were sent, which its signature covers. */
export type S3Request = {
  /** Names the request in its response and in the log. */
  id: string;
  method: string;
  /** The path with its percent-encoding, without the query. */
  rawPath: string;
  /** The query with its percent-encoding, without the question mark. */
  rawQuery: string;
  headers: Headers;
  body: ReadableStream<Uint8Array> | null;
  /** The address of the socket, which may be a proxy's. */
  socketAddress: string;
  /** What the path of the address of the API begins with, such as '/s3'; '' for its own listener. */
  basePath: string;
};

export type S3Response = {
  status: number;
  /** With `content-length` where `body` is a Blob or a stream. */
  headers: Record<string, string>;
  body: string | Blob | ReadableStream<Uint8Array> | null;
  /** Counts the bytes of a file that are sent; undefined where nobody pays for them. */
  countSent?: (bytes: number) => void;
};

/** Which bucket and key a request names; null for none. */
export type S3Address = { bucket: string | null; key: string | null };

const MAX_TARGET_LENGTH = 8192;

/**
 * Returns the address that a path names, or the path at the host of a bucket: `{bucket}.{domain}`. Each is decoded
 * once, and nothing of it is normalised. Throws InvalidURI.
 */
export function parseAddress(
  { rawPath, headers, basePath }: Pick<S3Request, 'rawPath' | 'headers' | 'basePath'>,
  domain: string | null,
): S3Address {
  if (rawPath.length > MAX_TARGET_LENGTH) throw new S3Error('InvalidURI', 'The path is too long.');
  const path = rawPath.slice(basePath.length + 1);
  const ofHost = bucketOfHost(headers.get('host'), domain);
  if (ofHost !== null) return { bucket: ofHost, key: path === '' ? null : decode(path) };
  const slash = path.indexOf('/');
  const bucket = slash < 0 ? path : path.slice(0, slash);
  const key = slash < 0 ? '' : path.slice(slash + 1);
  return { bucket: bucket === '' ? null : decode(bucket), key: key === '' ? null : decode(key) };
}

/** Returns the bucket that has a host of its own; null where a host is not below the domain. */
export function bucketOfHost(host: string | null, domain: string | null): string | null {
  const name = (host ?? '').toLowerCase().replace(/:\d*$/, '');
  if (domain === null || !name.endsWith(`.${domain}`)) return null;
  return name.slice(0, -domain.length - 1);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new S3Error('InvalidURI', 'The path is not percent-encoded UTF-8.');
  }
}

/** Returns the parameters of a query; of several with one name the first. Throws InvalidURI. */
export function parseQuery(rawQuery: string): ReadonlyMap<string, string> {
  if (rawQuery.length > MAX_TARGET_LENGTH) {
    throw new S3Error('InvalidURI', 'The query is too long.');
  }
  const query = new Map<string, string>();
  for (const pair of rawQuery.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
    const decoded = decode(name.replaceAll('+', ' '));
    if (!query.has(decoded)) query.set(decoded, decode(value.replaceAll('+', ' ')));
  }
  return query;
}
