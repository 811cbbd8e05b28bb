const codings = (headers: Headers): string[] =>
  (headers.get('content-encoding') ?? '')
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '');

/** Whether a body is sent in the chunks of `aws-chunked`, as far as its headers say. */
export const isAwsChunked = (headers: Headers): boolean => codings(headers).includes('aws-chunked');

/**
 * Returns the codings of an object, without `aws-chunked`, which is only how it is sent; null for none.
 */
export function objectContentEncoding(headers: Headers): string | null {
  if (!isAwsChunked(headers)) return headers.get('content-encoding')?.trim() || null;
  const own = codings(headers).filter((coding) => coding !== 'aws-chunked');
  return own.join(',') || null;
}
