import { type MediaFailure, permanentFailure, temporaryFailure } from '../media-failure.ts';
import type { ToolFailed } from './process.ts';

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
