import { Failure, type Retry } from '../server/contract/failure.ts';
import { NOT_STARTED_EXIT_CODE } from './sandbox/policy.ts';
import type { ToolFailedError } from './sandbox/process.ts';

/** A job that ends without a result. The message is a short sentence for the user. */
export class MediaFailure extends Failure {
  override name = 'MediaFailure';

  constructor(reason: string, retry: Retry, options?: ErrorOptions) {
    super(reason, { ...options, retry });
  }
}

/** Returns the failure of a file that can never be processed: the same bytes would fail again. */
export const permanentFailure = (reason: string, cause?: unknown) =>
  new MediaFailure(reason, 'never', { cause });
/** Returns the failure of a job that has made no attempt, because something else it needs is missing. */
export const postponingFailure = (reason: string, cause?: unknown) =>
  new MediaFailure(reason, 'later', { cause });
/** Returns a failure that is not caused by the file, so that a retry may succeed. */
export const temporaryFailure = (reason: string, cause?: unknown) =>
  new MediaFailure(reason, 'limited', { cause });

/** ffmpeg ends by itself when a signal asks it to. */
const FFMPEG_SIGNALLED_EXIT_CODE = 255;

/**
 * Returns what a failed ffmpeg or ffprobe means for the job. The limits are the same at the next attempt,
 * so running into them is permanent. A full disk and a kill from outside (by an admin, or the kernel when
 * memory is short) are temporary, and where the tool can't be started nothing was attempted. `otherwise` is
 * the message where the tool could not read the file.
 */
export function toolFailure(
  error: ToolFailedError,
  what: 'video' | 'image',
  otherwise: string,
): MediaFailure {
  if (error.exitCode === NOT_STARTED_EXIT_CODE) {
    return postponingFailure(
      `${what === 'video' ? 'Videos' : 'Images'} can't be processed right now.`,
      error,
    );
  }
  if (error.timedOut) return permanentFailure(`The ${what} took too long to process.`, error);
  if (/No space left on device/.test(error.stderrTail)) {
    return temporaryFailure("The server's disk is full.", error);
  }
  if (/Cannot allocate memory|out of memory|malloc of size \d+ failed/i.test(error.stderrTail)) {
    return permanentFailure(`The ${what} needs more memory than is available.`, error);
  }
  if (
    /Unknown encoder|Encoder not found|No such filter|Unrecognized option/.test(error.stderrTail)
  ) {
    return temporaryFailure(`This server can't process ${what}s. Ask its admin for help.`, error);
  }
  if (error.signal === 'SIGXFSZ' || /File too large/.test(error.stderrTail)) {
    return permanentFailure(`The processed ${what} would be too large.`, error);
  }
  const isEnded = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'].includes(String(error.signal));
  if (isEnded || error.exitCode === FFMPEG_SIGNALLED_EXIT_CODE) {
    return temporaryFailure('Processing was interrupted.', error);
  }
  return permanentFailure(otherwise, error);
}

/**
 * Returns what an error means for the job that it ended. Everything that is not about the file itself is
 * temporary: a full disk, unavailable storage, a bug that gets fixed.
 */
export function toMediaFailure(error: unknown): MediaFailure {
  if (error instanceof MediaFailure) return error;
  if (error instanceof Failure && error.retry === 'later') {
    return postponingFailure('Processing is waiting for the storage.', error);
  }
  const code = error instanceof Error && 'code' in error ? error.code : null;
  const isStorageFull = error instanceof Failure && error.code === 'storage-full';
  const isFull = isStorageFull || code === 'ENOSPC' || code === 'EDQUOT';
  return temporaryFailure(
    isFull ? "The server's disk is full." : 'Processing failed temporarily.',
    error,
  );
}
