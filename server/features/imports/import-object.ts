import type { ErrorCode } from '../../contract/failure.ts';
import type { Access } from '../../contract/wire.ts';
import { AppError, conflict } from '../../errors.ts';
import type { Actor } from '../../platform/audit/record.ts';
import {
  type RemoteBucket,
  RemoteBucketError,
  type RemoteEntry,
  type RemoteObject,
} from '../../platform/storage/remote-bucket.ts';
import { type Bucket, fileLimitOf, requireAllowedType } from '../buckets/service.ts';
import { type Files, isPath, type PlainUpload } from '../files/service.ts';
import { nameOf, parseStoredFields, processAs, S3Error } from '../s3/service.ts';
import {
  discardFailed,
  type OriginalDeps,
  peekStream,
  plainTypeOf,
  SNIFF_BYTES,
  storePlain,
} from '../uploads/service.ts';
import type { S3ImportRow } from './tables.ts';

export type ImportObjectDeps = OriginalDeps & {
  files: Files;
  maxFileBytes: number;
  maxVideoBytes: number;
};

/** What has become of an object: it was copied, was there already, or could not be copied. */
export type Outcome =
  | { kind: 'copied'; bytes: number }
  | { kind: 'skipped' }
  | { kind: 'failed'; code: ErrorCode; message: string };

/** Where an object is stored, and for whom. */
export type ObjectTarget = {
  bucket: Bucket;
  path: string;
  access: Access;
  actor: Actor;
} & Pick<PlainUpload, 'onConflict' | 'guards'>;

export type ImportScene = {
  job: Pick<S3ImportRow, 'prefix' | 'folder' | 'access'>;
  bucket: Bucket;
  actor: Actor;
  remote: RemoteBucket;
  signal: AbortSignal;
};

const ATTEMPTS = 3;

/**
 * Copies an object to the path that its key has below the folder of an import. What was there is replaced, unless it has
 * the same bytes. Throws what ends or interrupts the import: RemoteBucketError where the server can't be reached any more,
 * and the AppError of a limit.
 */
export async function importObject(
  deps: ImportObjectDeps,
  scene: ImportScene,
  entry: RemoteEntry,
): Promise<Outcome> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await copyObject(deps, scene, entry);
    } catch (error) {
      const failure = failureOf(error);
      if (failure) return failure;
      if (!(error instanceof RemoteBucketError)) throw error;
      if (attempt < ATTEMPTS) continue;
      // An object that its server can't send is passed over, unless it sends nothing at all.
      const { remote, signal, job } = scene;
      await remote.list({ prefix: job.prefix, after: '' }, { limit: 1, signal });
      return { kind: 'failed', code: 'download-failed', message: error.message };
    }
  }
}

/** The limits of the account, the bucket and the server, which every further object would reach too. */
const LIMIT_CODES: ErrorCode[] = [
  ...(['quota-exceeded', 'bucket-full', 'storage-full', 'banned', 'payment-required'] as const),
  ...(['not-found', 'forbidden', 'unauthorized'] as const),
];

/** Whether an error ends an import, as it is about more than one object. */
export const isLimit = (error: unknown): boolean =>
  error instanceof AppError && LIMIT_CODES.includes(error.code);

/** Returns the outcome for an error that is about this object; null for others. */
export function failureOf(error: unknown): Outcome | null {
  const failed = (code: ErrorCode, message: string): Outcome => ({ kind: 'failed', code, message });
  if (error instanceof RemoteBucketError) {
    return error.kind === 'unavailable' ? null : failed('download-failed', error.message);
  }
  if (error instanceof S3Error) return failed('invalid', error.message);
  if (!(error instanceof AppError) || isLimit(error)) return null;
  const isBusy = error.status === 429 || error.status >= 500;
  return isBusy ? null : failed(error.code, error.text);
}

async function copyObject(
  deps: ImportObjectDeps,
  scene: ImportScene,
  entry: RemoteEntry,
): Promise<Outcome> {
  const { bucket, job, actor, remote, signal } = scene;
  const path = job.folder + entry.key.slice(job.prefix.length);
  // The prefix itself can be an object, as consoles create folders.
  if (path === job.folder && entry.size === 0) return { kind: 'skipped' };
  if (!isPath(path)) {
    const message = `A path can have 1,024 bytes, no control characters, and no part "." or "..".`;
    return { kind: 'failed', code: 'invalid', message };
  }
  if (path.endsWith('/')) {
    if (entry.size > 0) {
      const message = 'A key that ends in a slash is a folder here, which can have no bytes.';
      return { kind: 'failed', code: 'invalid', message };
    }
    await deps.files.emptyFolders.create(bucket, path, actor);
    return { kind: 'skipped' };
  }
  if (await isThere(deps, bucket, path, entry)) return { kind: 'skipped' };
  const object = await remote.open(entry, signal);
  try {
    const { access } = job;
    const target = { bucket, path, access, actor, onConflict: 'replace' } as const;
    return await storeObject(deps, target, object);
  } finally {
    object.close();
  }
}

/** Whether the file at a path has the bytes of an object, as far as its ETag tells. */
async function isThere(
  { files }: ImportObjectDeps,
  bucket: Bucket,
  path: string,
  { size, etag }: RemoteEntry,
): Promise<boolean> {
  const file = await files.objectAt(bucket.id, path);
  return file?.blob_size === size && (file.etag ?? file.md5) === etag;
}

const NO_PRECONDITIONS = { ifMatch: null, ifNoneMatch: null };

/** Stores an object as a file. Throws what an upload of it would. */
export async function storeObject(
  deps: ImportObjectDeps,
  target: ObjectTarget,
  object: RemoteObject,
): Promise<Outcome> {
  const { bucket, path } = target;
  const fields = parseStoredFields(object.headers);
  const name = nameOf(path);
  const { maxBytes, tooLarge } = fileLimitOf(bucket, {
    maxBytes: deps.maxFileBytes,
    tooLarge: 'The object is larger than this server accepts.',
  });
  const { size: length, md5, etag } = object;
  if ((length ?? 0) > maxBytes) return { kind: 'failed', code: 'too-large', message: tooLarge };
  const { head, body } = await peekStream(object.body, SNIFF_BYTES);
  requireAllowedType(bucket, await plainTypeOf(name, head));
  const stored = await storePlain(deps, bucket, { name, length, maxBytes }, body);
  try {
    if (md5 !== null && md5 !== stored.md5) {
      throw new AppError(422, 'checksum-mismatch', 'The bytes differ from the ETag of the object.');
    }
    await deps.files.createPlain({
      ...{ ...stored, ...fields, ...target, name, preconditions: NO_PRECONDITIONS },
      // With the ETag of its parts, an object is recognised again.
      etag: md5 === null && etag !== '' ? etag : null,
      processAs: await processAs(deps, bucket, { ...fields, size: stored.size }, () => head),
      expired: () => conflict('The import took too long. Try again.'),
    });
    return { kind: 'copied', bytes: stored.size };
  } catch (error) {
    await discardFailed(deps, [stored], error);
    throw error;
  }
}
