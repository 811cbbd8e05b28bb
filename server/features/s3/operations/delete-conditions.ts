import { SECOND } from '../../../contract/limits.ts';
import type { ObjectRow } from '../../files/service.ts';
import { S3Error } from '../errors.ts';
import { textOf, type XmlElement } from '../xml/parse.ts';
import { expectedBy, preconditionFailed, requireExpected } from './conditions.ts';
import { viewObject } from './object-view.ts';

/** What a request to delete an object expects at its key; null for what it doesn't say. */
export type DeleteConditions = {
  ifMatch: string | null;
  /** In whole seconds of epoch time, as in HTTP. */
  modifiedAt: number | null;
  size: number | null;
};

const MODIFIED = 'x-amz-if-match-last-modified-time';
const SIZE = 'x-amz-if-match-size';

/** Returns the conditions of DeleteObject. Throws InvalidArgument. */
export const deleteConditionsIn = (headers: Headers): DeleteConditions => ({
  ifMatch: expectedBy(headers).ifMatch,
  modifiedAt: parseTime(headers.get(MODIFIED)),
  size: parseSize(headers.get(SIZE)),
});

/** Returns the conditions of an object in DeleteObjects. Throws InvalidArgument, MalformedXML. */
export function parseDeleteConditions(object: XmlElement): DeleteConditions {
  const etag = textOf(object, 'ETag');
  const headers = new Headers(etag === undefined ? {} : { 'if-match': etag.trim() });
  return {
    ifMatch: expectedBy(headers).ifMatch,
    modifiedAt: parseTime(textOf(object, 'LastModifiedTime') ?? null),
    size: parseSize(textOf(object, 'Size') ?? null),
  };
}

function parseTime(text: string | null): number | null {
  if (text === null) return null;
  const time = Date.parse(text);
  if (Number.isFinite(time)) return Math.floor(time / SECOND);
  throw new S3Error('InvalidArgument', 'The time of the last modification is not a date.', {
    ArgumentName: MODIFIED,
  });
}

function parseSize(text: string | null): number | null {
  if (text === null) return null;
  if (/^\d{1,15}$/.test(text.trim())) return Number(text);
  throw new S3Error('InvalidArgument', 'The size must be a number of bytes.', {
    ArgumentName: SIZE,
  });
}

/** Throws PreconditionFailed, or NoSuchKey, where something else is at the key than a request expects. */
export function requireDeletable(
  { ifMatch, modifiedAt, size }: DeleteConditions,
  key: string,
  row: ObjectRow | undefined,
): void {
  if (ifMatch !== null) requireExpected({ ifMatch, ifNoneMatch: null }, key, row);
  if (!row) return;
  if (modifiedAt !== null && modifiedAt !== Math.floor(row.created_at / SECOND)) {
    throw preconditionFailed(MODIFIED);
  }
  if (size !== null && size !== (viewObject(row).size ?? row.size)) throw preconditionFailed(SIZE);
}
