import { S3Error } from './errors.ts';

/**
 * The headers that clients move to the query of a presigned URL, whose signature covers them there too. Checksums are none
 * of them: SDKs put the one of an empty body there.
 */
const MOVED =
  /^x-amz-(meta-.+|acl|tagging|grant-.+|object-lock-.+|server-side-encryption.*|website-redirect-location|checksum-mode)$/;

/** Returns the headers of a request with those that its presigned URL has in the query. Throws InvalidArgument. */
export function withMovedHeaders(headers: Headers, query: ReadonlyMap<string, string>): Headers {
  const moved = [...query].filter(([name]) => MOVED.test(name.toLowerCase()) && !headers.has(name));
  if (moved.length === 0) return headers;
  const all = new Headers(headers);
  for (const [name, value] of moved) {
    try {
      // As the bytes of UTF-8 that a header has.
      all.set(name, Buffer.from(value).toString('latin1'));
    } catch {
      throw new S3Error('InvalidArgument', `${name} in the query can't be a header.`, {
        ArgumentName: name,
      });
    }
  }
  return all;
}
