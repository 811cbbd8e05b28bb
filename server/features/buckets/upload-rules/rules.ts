import { parseAllowedType, type UploadRules } from '../../../contract/files/upload-rules.ts';
import { formatBytes } from '../../../contract/units.ts';
import { AppError, invalid, tooLarge } from '../../../errors.ts';
import type { BucketRow } from '../tables.ts';

/** The columns of a bucket's row that decide on an upload. */
export type UploadRuleColumns = Pick<
  BucketRow,
  'allowed_types' | 'max_file_bytes' | 'storage_limit'
>;

type Judging = UploadRuleColumns & Pick<BucketRow, 'usage'>;

/** Returns the rules of a bucket's row. */
export const parseUploadRules = ({ allowed_types, ...limits }: UploadRuleColumns): UploadRules => ({
  allowed_types: allowed_types === null ? [] : JSON.parse(allowed_types),
  max_file_bytes: limits.max_file_bytes,
  storage_limit: limits.storage_limit,
});

/** Returns the columns of rules, with each type in one form and once. Throws invalid, which names what is none. */
export function formatUploadRules({ allowed_types, ...limits }: UploadRules): UploadRuleColumns {
  const types = allowed_types.map((text) => {
    const type = parseAllowedType(text);
    if (type) return type;
    throw invalid(`${JSON.stringify(text)} is not a type such as image/png or image/*.`);
  });
  return {
    allowed_types: types.length === 0 ? null : JSON.stringify([...new Set(types)]),
    max_file_bytes: limits.max_file_bytes,
    storage_limit: limits.storage_limit,
  };
}

/** Throws type-refused where a bucket does not accept files of a content type. */
export function requireAllowedType(bucket: UploadRuleColumns, contentType: string): void {
  if (bucket.allowed_types === null) return;
  const { allowed_types } = parseUploadRules(bucket);
  const [type = ''] = contentType.split(';');
  const isAllowed = allowed_types.some((allowed) =>
    allowed.endsWith('/*') ? type.startsWith(allowed.slice(0, -1)) : type === allowed,
  );
  if (isAllowed || allowed_types.length === 0) return;
  const list = allowed_types.join(', ');
  throw new AppError(415, 'type-refused', `This bucket only accepts ${list}. The file is ${type}.`);
}

/** Returns why a bucket does not accept a file of at least so many bytes; null where it does. */
export function sizeRefusal(bucket: Judging, bytes: number): AppError | null {
  const { max_file_bytes, storage_limit, usage } = bucket;
  if (max_file_bytes !== null && bytes > max_file_bytes) {
    return tooLarge(fileTooLarge(max_file_bytes));
  }
  return storage_limit !== null && usage + bytes > storage_limit ? bucketFull(storage_limit) : null;
}

/** The error for a file for which a bucket has no room. */
export const bucketFull = (storageLimit: number) =>
  new AppError(
    403,
    'bucket-full',
    `This file would exceed the bucket's storage limit of ${formatBytes(storageLimit)}. Delete files to make room.`,
  );

/**
 * Returns the bytes of the largest file that a bucket accepts, and what to say of a larger one.
 * @param server what the server accepts
 */
export function fileLimitOf(
  { max_file_bytes }: Pick<BucketRow, 'max_file_bytes'>,
  server: { maxBytes: number; tooLarge: string },
): { maxBytes: number; tooLarge: string } {
  if (max_file_bytes === null || max_file_bytes >= server.maxBytes) return server;
  return { maxBytes: max_file_bytes, tooLarge: fileTooLarge(max_file_bytes) };
}

const fileTooLarge = (maxBytes: number) =>
  `This bucket only accepts files of at most ${formatBytes(maxBytes)}.`;

/** Whether an upload was refused by a rule, so that it can't succeed later. */
export const isRuleRefusal = (error: unknown): boolean =>
  error instanceof AppError && ['type-refused', 'too-large', 'bucket-full'].includes(error.code);
