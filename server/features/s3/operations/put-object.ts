import { conflict } from '../../../errors.ts';
import { actorOf } from '../../access/principal.ts';
import { fileLimitOf, requireAllowedType } from '../../buckets/service.ts';
import {
  discardFailed,
  peekStream,
  plainTypeOf,
  SNIFF_BYTES,
  type StoredPlain,
  storePlain,
} from '../../uploads/service.ts';
import { receivePayload } from '../auth/receive-payload.ts';
import type { ReceivedPayload } from '../auth/types.ts';
import type { Checksum } from '../checksums/algorithms.ts';
import { checksumHeader } from '../checksums/declared-checksums.ts';
import type { ObjectContext } from '../context.ts';
import { emptyResponse } from '../context.ts';
import { S3Error } from '../errors.ts';
import { processAs } from '../process-as.ts';
import type { S3Response } from '../request.ts';
import { expectedBy, expectedFileOf, requireExpected, rethrowUnexpected } from './conditions.ts';
import { expirationHeader } from './configuration/lifecycle.ts';
import { copyObject } from './copy-object.ts';
import { isFolderKey, nameOf, requireKey } from './keys.ts';
import { parseStoredFields, type StoredFields } from './object-headers.ts';
import { newVersionHeaders } from './versions/find-version.ts';

/** Stores an object, or copies another one. */
export async function putObject(context: ObjectContext): Promise<S3Response> {
  const { request, key } = context;
  requireKey(key);
  if (request.headers.has('x-amz-copy-source')) return copyObject(context);
  const fields = parseStoredFields(request.headers);
  const replaced = await requireExpectedNow(context);
  const payload = receivePayload(context.caller, request.headers, request.body);
  if (isFolderKey(key)) return putFolder(context, payload);
  return createObject(context, fields, await receiveObject(context, payload), replaced);
}

/**
 * Returns the id of the file that a conditional request replaces; null for none, and for other requests. Throws before the
 * body arrives where it would be refused after it.
 */
async function requireExpectedNow({
  deps,
  request,
  bucket,
  key,
}: ObjectContext): Promise<string | null> {
  const expected = expectedBy(request.headers);
  if (expected.ifMatch === null && expected.ifNoneMatch === null) return null;
  const row = await deps.files.objectAt(bucket.id, key);
  requireExpected(expected, key, row);
  return row?.id ?? null;
}

/** The bytes of an object, which is none yet. */
export type StoredObject = StoredPlain & { checksum: Checksum | null; head: Uint8Array };

/**
 * Stores the bytes of an object. Throws what the rules of its bucket and the limits of its account refuse.
 * @param mostBytes how many it may have at most, beside the limits of server and bucket
 */
export async function receiveObject(
  { deps, bucket, key }: ObjectContext,
  payload: ReceivedPayload,
  mostBytes = Number.POSITIVE_INFINITY,
): Promise<StoredObject> {
  const name = nameOf(key);
  const tooLarge = 'The object is larger than this server accepts.';
  const limit = { maxBytes: Math.min(deps.maxFileBytes, mostBytes), tooLarge };
  const { maxBytes } = fileLimitOf(bucket, limit);
  const { size: length } = payload;
  if (length !== null && length > maxBytes) throw new S3Error('EntityTooLarge', tooLarge);
  const { head, body } = await peekStream(payload.body, SNIFF_BYTES);
  requireAllowedType(bucket, await plainTypeOf(name, head));
  const stored = await storePlain(deps, bucket, { name, length, maxBytes }, body);
  return { ...stored, checksum: payload.checksum(), head };
}

/**
 * Makes stored bytes the object at the key. They are deleted where that is refused.
 * @param replaced the id of the file that was at the key when the request began; null for none
 */
export async function createObject(
  context: ObjectContext,
  fields: StoredFields,
  { checksum, head, ...stored }: StoredObject,
  replaced?: string | null,
): Promise<S3Response> {
  const { deps, request, bucket, key, caller } = context;
  try {
    const file = await deps.files.createPlain({
      ...stored,
      ...fields,
      ...{ name: nameOf(key), bucket, path: key, onConflict: 'replace' },
      actor: actorOf(caller.principal),
      preconditions: expectedBy(request.headers),
      expectedFile: expectedFileOf(request.headers, replaced),
      processAs: await processAs(deps, bucket, { ...fields, size: stored.size }, () => head),
      checksum: checksum && `${checksum.algorithm}:${checksum.value}`,
      expired: () => conflict('The upload took too long. Try again.'),
    });
    return emptyResponse(200, {
      etag: `"${stored.md5}"`,
      ...(checksum && { [checksumHeader(checksum.algorithm)]: checksum.value }),
      ...newVersionHeaders(bucket, file.id),
      ...expirationHeader(bucket, { path: key, created_at: Date.parse(file.date) }),
    });
  } catch (error) {
    await discardFailed(deps, [stored], error);
    return rethrowUnexpected(context, error);
  }
}

/** Creates a folder, as consoles and file managers do by an object without bytes; one that is there stays. */
export async function putFolder(
  { deps, bucket, key, caller }: ObjectContext,
  payload: ReceivedPayload,
): Promise<S3Response> {
  let bytes = 0;
  for await (const piece of payload.body) {
    bytes += piece.byteLength;
    if (bytes > 0) {
      throw new S3Error(
        'InvalidRequest',
        'A key that ends in a slash is a folder on this server, which can have no bytes.',
      );
    }
  }
  await deps.files.emptyFolders.create(bucket, key, actorOf(caller.principal));
  return emptyResponse(200, { etag: '"d41d8cd98f00b204e9800998ecf8427e"' });
}
