export type Range = { start: number; end: number };

/** What conditions are about: one form of an object, with a strong tag. */
export type Version = {
  etag: string /** Epoch ms; null where only the tag tells. */;
  modifiedAt: number | null;
};

/** The request headers that this file reads. */
export const CONDITIONAL_HEADERS = [
  'range',
  'if-none-match',
  'if-modified-since',
  'if-match',
  'if-unmodified-since',
];

/**
 * Whether the client asks for a version that is not this one: 412 (RFC 9110, 13.1.1 and 13.1.4).
 */
export function isOther(headers: Headers, { etag, modifiedAt }: Version): boolean {
  const match = headers.get('if-match');
  if (match !== null) {
    const tags = tagsOf(match);
    return !tags.includes('*') && !tags.includes(etag);
  }
  const until = timeOf(headers.get('if-unmodified-since'));
  return until !== null && modifiedAt !== null && toSecond(modifiedAt) > until;
}

/** Whether the copy that the client has is still good: 304 (RFC 9110, 13.1.2 and 13.1.3). */
export function isFresh(headers: Headers, { etag, modifiedAt }: Version): boolean {
  const noneMatch = headers.get('if-none-match');
  if (noneMatch !== null) {
    const tags = tagsOf(noneMatch).map((tag) => tag.replace(/^W\//, ''));
    return tags.includes('*') || tags.includes(etag);
  }
  const since = timeOf(headers.get('if-modified-since'));
  return since !== null && modifiedAt !== null && toSecond(modifiedAt) <= since;
}

/**
 * The one range that a request asks for, `end` exclusive. Null for the whole: without a range,
 * with several, with one that can't be read, or when If-Range names another version.
 * 'unsatisfiable' where it lies outside (RFC 9110, 14.2 and 13.1.5).
 */
export function rangeOf(
  headers: Headers,
  size: number,
  version: Version,
): Range | null | 'unsatisfiable' {
  const match = /^bytes=(\d*)-(\d*)$/i.exec(headers.get('range')?.trim() ?? '');
  if (!match) return null;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return null;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null;
  if (!sameVersion(headers.get('if-range'), version)) return null;
  const range =
    first === ''
      ? { start: Math.max(0, size - Number(last)), end: size }
      : { start: Number(first), end: last === '' ? size : Math.min(size, Number(last) + 1) };
  return range.start >= range.end ? 'unsatisfiable' : range;
}

function sameVersion(ifRange: string | null, { etag, modifiedAt }: Version): boolean {
  if (ifRange === null) return true;
  // A weak tag never matches here: bytes of two encodings must not be joined.
  if (ifRange.startsWith('"')) return ifRange === etag;
  return modifiedAt !== null && timeOf(ifRange) === toSecond(modifiedAt);
}

const tagsOf = (list: string) => list.split(',').map((tag) => tag.trim());

/** Null where there is no date that can be read. */
function timeOf(date: string | null): number | null {
  const time = Date.parse(date ?? '');
  return Number.isNaN(time) ? null : time;
}

/** HTTP dates have whole seconds. */
const toSecond = (ms: number) => Math.floor(ms / 1000) * 1000;
