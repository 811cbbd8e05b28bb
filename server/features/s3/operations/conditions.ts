import { AppError } from '../../../errors.ts';
import { type Preconditions, preconditionsHold } from '../../../web/http/conditional-requests.ts';
import type { ObjectRow, PlainUpload } from '../../files/service.ts';
import type { ObjectContext } from '../context.ts';
import { S3Error } from '../errors.ts';
import { noSuchKey } from '../refusals.ts';
import { viewObject } from './object-view.ts';

export const preconditionFailed = (condition: string) =>
  new S3Error('PreconditionFailed', 'At least one of the conditions of the request is not met.', {
    Condition: condition,
  });

/** Returns what a request that writes to a key expects there. Some clients leave out the quotes of an ETag. */
export const expectedBy = (headers: Headers): Preconditions => ({
  ifMatch: quoted(headers.get('if-match')),
  ifNoneMatch: quoted(headers.get('if-none-match')),
});

/** Returns the conditions of a read, in which some clients leave out the quotes of an ETag too. */
export function conditionsOf(headers: Headers): Headers {
  const { ifMatch, ifNoneMatch } = expectedBy(headers);
  if (ifMatch === null && ifNoneMatch === null) return headers;
  const conditions = new Headers(headers);
  if (ifMatch !== null) conditions.set('if-match', ifMatch);
  if (ifNoneMatch !== null) conditions.set('if-none-match', ifNoneMatch);
  return conditions;
}

const quoted = (tags: string | null): string | null =>
  tags === null
    ? null
    : tags.replace(/[^,\s"*]+/g, (tag, at: number) =>
        tags[at - 1] === '"' || tag === 'W/' ? tag : `"${tag}"`,
      );

/** Throws NoSuchKey or PreconditionFailed where a request expects something else at its key. */
export function requireExpected(
  expected: Preconditions,
  key: string,
  row: ObjectRow | undefined,
): void {
  if (expected.ifMatch !== null && !row) throw noSuchKey(key);
  if (preconditionsHold(expected, row ? [`"${viewObject(row).etag}"`] : null)) return;
  throw preconditionFailed(expected.ifMatch === null ? 'If-None-Match' : 'If-Match');
}

/**
 * Returns what must still be at a key when a conditional write ends: what was there when it began. Otherwise something else
 * has come there meanwhile, or gone, and what the client expects is true only of what it has not seen. Undefined where a
 * request expects nothing.
 * @param fileId the id of the file that was there; null for none, undefined where that is unknown
 */
export function expectedFileOf(
  headers: Headers,
  fileId: string | null | undefined,
): PlainUpload['expectedFile'] {
  const { ifMatch, ifNoneMatch } = expectedBy(headers);
  if (fileId === undefined || (ifMatch === null && ifNoneMatch === null)) return undefined;
  const Condition = ifMatch === null ? 'If-None-Match' : 'If-Match';
  const otherwise = () =>
    new S3Error(
      'ConditionalRequestConflict',
      'Another request has changed the object during the upload. Read its ETag, and upload again.',
      { Condition },
    );
  return { id: fileId, otherwise };
}

/** Throws what a client is told where something else came to its key before the commit; other errors as they are. */
export async function rethrowUnexpected(
  { deps, bucket, key, request }: ObjectContext,
  error: unknown,
): Promise<never> {
  if (!(error instanceof AppError) || error.code !== 'other-version') throw error;
  const expected = expectedBy(request.headers);
  const row = await deps.files.objectAt(bucket.id, key);
  if (expected.ifMatch !== null && !row) throw noSuchKey(key);
  throw preconditionFailed(expected.ifMatch === null ? 'If-None-Match' : 'If-Match');
}
