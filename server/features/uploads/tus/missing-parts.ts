import { AppError } from '../../../errors.ts';
import { uploadExpired } from '../sessions/complete-upload.ts';

/** Throws that the upload has expired where an object of it is missing. */
export function rethrowMissing(error: unknown): never {
  throw error instanceof AppError && error.code === 'not-found' ? uploadExpired() : error;
}
