export type Range = { start: number; end: number };

/** Whether the copy that the client has is still good (RFC 9110, 13.1). `modifiedAt` is epoch ms. */
export function isFresh(headers: Headers, etag: string, modifiedAt: number): boolean {
  const noneMatch = headers.get('if-none-match');
  if (noneMatch !== null) {
    const tags = noneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
    return tags.includes('*') || tags.includes(etag.replace(/^W\//, ''));
  }
  const since = Date.parse(headers.get('if-modified-since') ?? '');
  return Number.isFinite(since) && toSecond(modifiedAt) <= since;
}

/**
 * The one range that a request asks for, `end` exclusive. Null for the whole: without a range,
 * with several, with one that can't be read, or when If-Range names another version.
 * 'unsatisfiable' where it lies outside (RFC 9110, 14.2 and 13.1.5).
 */
export function rangeOf(
  headers: Headers,
  size: number,
  etag: string,
  modifiedAt: number,
): Range | null | 'unsatisfiable' {
  const match = /^bytes=(\d*)-(\d*)$/.exec(headers.get('range')?.trim() ?? '');
  if (!match) return null;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return null;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null;
  if (!sameVersion(headers.get('if-range'), etag, modifiedAt)) return null;
  const range =
    first === ''
      ? { start: Math.max(0, size - Number(last)), end: size }
      : { start: Number(first), end: last === '' ? size : Math.min(size, Number(last) + 1) };
  return range.start >= range.end ? 'unsatisfiable' : range;
}

function sameVersion(ifRange: string | null, etag: string, modifiedAt: number): boolean {
  if (ifRange === null) return true;
  // A weak tag never matches here: bytes of two encodings must not be joined.
  if (ifRange.startsWith('"')) return ifRange === etag;
  return Date.parse(ifRange) === toSecond(modifiedAt);
}

/** HTTP dates have whole seconds. */
const toSecond = (ms: number) => Math.floor(ms / 1000) * 1000;
