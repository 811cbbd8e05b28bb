import { Failure } from '../../server/contract/failure.ts';
import { MediaFailure, temporaryFailure } from '../media-failure.ts';

/**
 * What an error means for the job it ended. Whatever is not about the file itself may be better
 * later: a full disk, a store that is away, a bug of ours that is mended.
 */
export function toMediaFailure(error: unknown): MediaFailure {
  if (error instanceof MediaFailure) return error;
  const code = error instanceof Error && 'code' in error ? error.code : null;
  const isStorageFull = error instanceof Failure && error.code === 'storage-full';
  const isFull = isStorageFull || code === 'ENOSPC' || code === 'EDQUOT';
  return temporaryFailure(
    isFull ? "The server's disk is full." : 'Processing failed temporarily.',
    error,
  );
}
