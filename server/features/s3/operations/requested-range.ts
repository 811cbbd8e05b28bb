import { type Range, rangeOf, type Version } from '../../../web/http/conditional-requests.ts';
import type { ReadContext } from '../context.ts';
import { S3Error } from '../errors.ts';
import { type ObjectParts, partRange } from './parts/object-parts.ts';

/** As in S3. */
const MAX_PARTS = 10_000;

type PartRequest = Pick<ReadContext, 'request' | 'query'>;

type ReadObject = {
  /** In bytes. */
  size: number;
  version: Version;
  /** Without quotes. */
  etag: string;
  /** Null where they are unknown, or there is one. */
  parts: ObjectParts | null;
};

/** Returns in how many parts an object was uploaded, which its ETag tells; null for an upload in one request. */
export function partCountOf(etag: string): number | null {
  const [, count] = /-(\d{1,5})$/.exec(etag) ?? [];
  return count === undefined ? null : Number(count);
}

/**
 * Returns the bytes that GET or HEAD asks for, by a range or by the number of a part; null for the whole object as
 * the answer to neither. Throws InvalidRange, InvalidPart, InvalidArgument, and NotImplemented for a part of an object that an
 * earlier version has stored.
 */
export function requestedRange({ request, query }: PartRequest, object: ReadObject): Range | null {
  const { headers } = request;
  const { size, version } = object;
  const partNumber = query.get('partNumber');
  if (partNumber !== undefined) {
    if (headers.has('range')) {
      throw new S3Error('InvalidRequest', 'Send either a range or the number of a part.');
    }
    const { start, end } = requestedPart(partNumber, object);
    // An empty part has no byte that a range could begin with.
    return start === end ? null : { start, end };
  }
  const range = rangeOf({ method: 'GET', headers }, size, version);
  if (range !== 'unsatisfiable') return range;
  throw new S3Error('InvalidRange', 'The range is outside of the object.', {
    RangeRequested: headers.get('range') ?? '',
    ActualObjectSize: String(size),
  });
}

/** Returns the number of the part that a request asks for; null where it asks for none. */
export const requestedPartNumber = ({ query }: Pick<PartRequest, 'query'>): number | null =>
  query.has('partNumber') ? Number(query.get('partNumber')) : null;

function requestedPart(text: string, { size, etag, parts }: ReadObject): Range {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > MAX_PARTS) {
    throw new S3Error('InvalidArgument', `partNumber must be a number from 1 to ${MAX_PARTS}.`, {
      ArgumentName: 'partNumber',
      ArgumentValue: text,
    });
  }
  const count = partCountOf(etag) ?? 1;
  if (number > count) {
    throw new S3Error('InvalidPart', 'The object has no part of this number.', {
      PartNumber: text,
    });
  }
  const range = parts ? partRange(parts, number) : count === 1 ? { start: 0, end: size } : null;
  if (range) return range;
  throw new S3Error(
    'NotImplemented',
    'The parts of this object are not known any more. Send a range.',
  );
}
