import { ERRORS } from '@tus/server';
import {
  AppError,
  badRequest,
  conflict,
  notFound,
  tooLarge,
  unsupportedType,
} from '../../../errors.ts';
import { uploadExpired } from '../sessions/complete-upload.ts';

const lockedError = () =>
  new AppError(423, 'conflict', 'Another request is sending this upload. Try again in a moment.', {
    'retry-after': '1',
  });

/** Our errors for those of the tus library. Clients repeat a request after 409, 423 and 5xx only. */
const OURS = new Map<unknown, () => AppError>([
  [ERRORS.MISSING_OFFSET, () => badRequest('The Upload-Offset header is required.')],
  [
    ERRORS.INVALID_CONTENT_TYPE,
    () => unsupportedType('The Content-Type header must be application/offset+octet-stream.'),
  ],
  [
    ERRORS.INVALID_LENGTH,
    () => badRequest('Send either Upload-Length or Upload-Defer-Length. A length stays the same.'),
  ],
  [ERRORS.INVALID_METADATA, () => badRequest("The Upload-Metadata header can't be read.")],
  [ERRORS.FILE_NOT_FOUND, () => notFound('Upload')],
  [ERRORS.FILE_NO_LONGER_EXISTS, uploadExpired],
  [ERRORS.INVALID_OFFSET, () => conflict('Upload-Offset is not where the upload stands.')],
  [ERRORS.ABORTED, () => conflict('Another request continues this upload.')],
  [ERRORS.ERR_LOCK_TIMEOUT, lockedError],
  [
    ERRORS.INVALID_TERMINATION,
    () => badRequest('The upload is complete. Delete the file instead.'),
  ],
  [ERRORS.ERR_SIZE_EXCEEDED, () => tooLarge('The body is longer than the rest of the upload.')],
  [ERRORS.ERR_MAX_SIZE_EXCEEDED, () => tooLarge('The file is too large.')],
]);

/** Returns our error for an error of the tus library, and any other error as it is. */
export const translateError = (error: unknown): unknown => OURS.get(error)?.() ?? error;
