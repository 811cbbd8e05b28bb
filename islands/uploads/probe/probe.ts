import { VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import type { Size } from '../../../server/contract/media.ts';
import { MESSAGES } from '../../../server/contract/messages.ts';
import { ApiError } from '../../runtime/api-error.ts';
import { isBusy, withRetry } from '../transport/retry.ts';
import { sendForm } from '../transport/send-form.ts';

const NEED_TAIL = 'need-tail';

/**
 * Asks the server for the size that a video is shown at, with its first 9 MiB, and its last where
 * those do not tell. Throws ApiFailure, or the signal's reason.
 */
export async function probeVideo(bucketId: string, file: File, signal: AbortSignal): Promise<Size> {
  const ask = (parts: { tail: boolean }) => {
    const form = new FormData();
    form.set('file', file.slice(0, VIDEO_CHUNK_BYTES), file.name);
    if (parts.tail) form.set('tail', file.slice(-VIDEO_CHUNK_BYTES), file.name);
    const path = `/files/resolution/video/${encodeURIComponent(bucketId)}`;
    const send = () => sendForm<{ resolution: string }>(path, form, { signal });
    return withRetry(send, { signal, passes: isBusy });
  };
  const { resolution } = await ask({ tail: false }).catch((error) => {
    if (error instanceof ApiError && error.details.code === NEED_TAIL) return ask({ tail: true });
    throw error;
  });
  const [, width = 0, height = 0] = /^(\d+)x(\d+)$/.exec(resolution)?.map(Number) ?? [];
  if (!(width > 0 && height > 0)) throw new ApiError(200, MESSAGES.unexpected);
  return { width, height };
}
