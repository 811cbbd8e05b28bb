import { type Range, rangeOf, type Version } from '../../../web/http/conditional-requests.ts';
import type { ReadContext } from '../context.ts';
import { S3Error } from '../errors.ts';

/** As in S3. */
const MAX_PARTS = 10_000;

type PartRequest = Pick<ReadContext, 'request' | 'query'>;

type ReadObject = {
  /** In bytes. */
  size: number;
  version: Version;
  /** In how many parts it was uploaded; null where it was not. */
  parts: number | null;
};

/** Returns in how many parts an object was uploaded, which its ETag tells; null for an upload in one request. */
export function partCountOf(etag: string): number | null {
  const [, count] = /-(\d{1,5})$/.exec(etag) ?? [];
  return count === undefined ? null : Number(count);
}

/** Returns the header that tells who asks for a part how many there are. */
export function partHeaders({ query }: PartRequest, etag: string): Record<string, string> {
  const parts = query.has('partNumber') ? partCountOf(etag) : null;
  return parts === null ? {} : { 'x-amz-mp-parts-count': String(parts) };
}

/**
 * Returns the bytes that GET or HEAD asks for, by a range or by the number of a part; null for the whole object as
 * the answer to neither. Throws InvalidRange, InvalidPart, InvalidArgument, and NotImplemented for a part of several.
 */
export function requestedRange({ request, query }: PartRequest, object: ReadObject): Range | null {
  const { headers } = request;
  const { size, version, parts } = object;
  const partNumber = query.get('partNumber');
  if (partNumber !== undefined) {
    if (headers.has('range')) {
      throw new S3Error('InvalidRequest', 'Send either a range or the number of a part.');
    }
    requireOnlyPart(partNumber, parts ?? 1);
    // An empty object has no byte that a range could begin with.
    return size === 0 ? null : { start: 0, end: size };
  }
  const range = rangeOf({ method: 'GET', headers }, size, version);
  if (range !== 'unsatisfiable') return range;
  throw new S3Error('InvalidRange', 'The range is outside of the object.', {
    RangeRequested: headers.get('range') ?? '',
    ActualObjectSize: String(size),
  });
}

/** Throws unless the part is all of the object: where the others of several begin isn't known any more. */
function requireOnlyPart(text: string, parts: number): void {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > MAX_PARTS) {
    throw new S3Error('InvalidArgument', `partNumber must be a number from 1 to ${MAX_PARTS}.`, {
      ArgumentName: 'partNumber',
      ArgumentValue: text,
    });
  }
  if (number > parts) {
    throw new S3Error('InvalidPart', 'The object has no part of this number.', {
      PartNumber: text,
    });
  }
  if (parts === 1) return;
  throw new S3Error(
    'NotImplemented',
    'The parts of an object can not be read by their numbers. Send a range.',
  );
}
