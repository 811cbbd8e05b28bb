import { createLimiter } from '../../../server/contract/limiter.ts';
import { VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import type { Size } from '../../../server/contract/media.ts';
import { MESSAGES } from '../../../server/contract/messages.ts';
import { suggestResolutions } from '../../../server/contract/resolutions.ts';
import { ApiError } from '../../runtime/api-error.ts';
import { isServerBusy, withRetry } from '../transport/retry.ts';
import { sendForm } from '../transport/send-form.ts';

const NEED_TAIL = 'need-tail';
const PROBE_CONCURRENCY = 2;

/** Returns the sizes that a video is transcoded to unless the user chooses others, as a list. */
export const suggestedFor = (size: Size) => (suggestResolutions(size) ?? []).join(', ');

/** What is asked of the server about the selected videos, a few at a time. */
export class VideoProbes {
  private readonly bucketId: string;
  private readonly selected = new Map<File, AbortController>();
  private readonly answers = new WeakMap<File, Promise<Size>>();
  private readonly limited = createLimiter(PROBE_CONCURRENCY);

  constructor(bucketId: string) {
    this.bucketId = bucketId;
  }

  get files(): File[] {
    return [...this.selected.keys()];
  }

  has(file: File): boolean {
    return this.selected.has(file);
  }

  /** Adds a selected video. Returns the signal that ends the question about it. */
  add(file: File): AbortSignal {
    const controller = new AbortController();
    this.selected.set(file, controller);
    return controller.signal;
  }

  /** Asks for the size of a video. Throws ApiError, or the signal's reason. */
  ask(file: File, signal: AbortSignal): Promise<Size> {
    const answer = this.limited(() => probeVideo(this.bucketId, file, signal), signal);
    this.answers.set(file, answer);
    return answer;
  }

  stop(file: File): void {
    this.selected.get(file)?.abort();
    this.selected.delete(file);
  }

  /** Forgets the selection, whose uploads have started: they still wait for the answers. */
  release(): void {
    this.selected.clear();
  }

  /** Returns what tells the resolutions of a video whose upload starts before its size is known. */
  suggestionOf(file: File): (signal: AbortSignal) => Promise<string> {
    let answer = this.answers.get(file);
    return async (signal) => {
      const size = answer ?? probeVideo(this.bucketId, file, signal);
      // An upload that is tried again asks again.
      answer = undefined;
      return suggestedFor(await size);
    };
  }
}

/**
 * Asks the server for the size that a video is shown at. It sends the first 9 MiB, and the last 9 MiB
 * too if the server finds no index in the first. Throws ApiError, or the signal's reason.
 */
async function probeVideo(bucketId: string, file: File, signal: AbortSignal): Promise<Size> {
  const sendProbe = (parts: { tail: boolean }) => {
    const form = new FormData();
    form.set('file', file.slice(0, VIDEO_CHUNK_BYTES), file.name);
    if (parts.tail) form.set('tail', file.slice(-VIDEO_CHUNK_BYTES), file.name);
    const path = `/files/resolution/video/${encodeURIComponent(bucketId)}`;
    const send = () => sendForm<{ resolution: string }>(path, form, { signal });
    return withRetry(send, { signal, shouldRetry: isServerBusy });
  };
  const { resolution } = await sendProbe({ tail: false }).catch((error) => {
    if (error instanceof ApiError && error.details.code === NEED_TAIL)
      return sendProbe({ tail: true });
    throw error;
  });
  const [, width = 0, height = 0] = /^(\d+)x(\d+)$/.exec(resolution)?.map(Number) ?? [];
  if (!(width > 0 && height > 0)) throw new ApiError(200, MESSAGES.unexpected);
  return { width, height };
}
