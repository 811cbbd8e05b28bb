import { isPath, keptName } from '../../files/service.ts';
import { S3Error } from '../errors.ts';

const MAX_KEY_BYTES = 1024;

/** Throws S3Error where no object can have a key. */
export function requireKey(key: string): void {
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) {
    throw new S3Error('KeyTooLongError', 'A key can have at most 1,024 bytes.', {
      MaxSizeAllowed: String(MAX_KEY_BYTES),
      Size: String(Buffer.byteLength(key)),
    });
  }
  if (isPath(key)) return;
  throw new S3Error(
    'InvalidRequest',
    `A key can't have control characters, or a segment that is "." or "..".`,
  );
}

/** Returns the name of the file at a key. */
export const nameOf = (key: string): string => keptName(key.split('/').at(-1), 'file');

/** Whether a key names a folder, which has no bytes. */
export const isFolderKey = (key: string): boolean => key.endsWith('/');
