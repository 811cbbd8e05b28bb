import { Failure, type Retry } from '../server/contract/failure.ts';
import type { ToolFailed } from './sandbox/process.ts';

/** A job that ends without a result. The message is a short sentence for the user. */
export class MediaFailure extends Failure {
  override name = 'MediaFailure';

  constructor(reason: string, retry: Retry, options?: ErrorOptions) {
    super(reason, { ...options, retry });
  }
}

/** This file will never work: the same bytes would fail again. */
export const permanentFailure = (reason: string, cause?: unknown) =>
  new MediaFailure(reason, 'never', { cause });
/** Not the file's fault: trying again later may work. */
export const temporaryFailure = (reason: string, cause?: unknown) =>
  new MediaFailure(reason, 'limited', { cause });

/**
 * What a failed ffmpeg or ffprobe means for the job. Limits are the same at the next attempt, so
 * running into them is permanent; a full disk or a kill from outside (an admin, the kernel short
 * of memory) is not. `otherwise` is the reason where the tool simply could not read the file.
 */
export function videoToolFailure(error: ToolFailed, otherwise: string): MediaFailure {
  if (error.timedOut) return permanentFailure('The video took too long to process.', error);
  if (/No space left on device/.test(error.stderrTail)) {
    return temporaryFailure("The server's disk is full.", error);
  }
  if (/Cannot allocate memory|out of memory|malloc of size \d+ failed/i.test(error.stderrTail)) {
    return permanentFailure('The video needs more memory than is available.', error);
  }
  if (error.signal === 'SIGXFSZ' || /File too large/.test(error.stderrTail)) {
    return permanentFailure('The processed video would be too large.', error);
  }
  if (error.signal === 'SIGKILL' || error.signal === 'SIGTERM') {
    return temporaryFailure('Processing was interrupted.', error);
  }
  return permanentFailure(otherwise, error);
}

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
