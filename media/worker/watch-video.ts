import { SECOND } from '../../server/contract/limits.ts';
import { MediaFailure, permanentFailure } from '../media-failure.ts';
import { ProcessorTime } from '../sandbox/processor-time.ts';
import { BACKGROUND_PACE, FOREGROUND_PACE, isTooSlow, VIDEO_TIMEOUT_MS } from '../video/pace.ts';
import { type Clocks, countTime } from './counted-time.ts';

export type VideoTimes = Partial<Clocks> & {
  signal: AbortSignal;
  /**
   * Whether the process has no other job. The time of a video in the background counts only then, because
   * everything else slows it down.
   */
  isAlone?: () => boolean;
  /** Milliseconds after which a video is given up; 12 hours by default. */
  videoTimeoutMs?: number;
  /** Milliseconds between two checks of its progress. */
  videoCheckIntervalMs?: number;
};

type Watch = {
  /** Aborts when the job is cancelled, and with a MediaFailure when the video takes too long. */
  signal: AbortSignal;
  /** Sets how much is done, from 0 to 1. */
  report: (fraction: number) => void;
  /** Does something that depends on others, such as storing, whose time does not count. */
  pause: <Value>(work: () => Promise<Value>) => Promise<Value>;
};

/**
 * Makes a video and watches its progress. One that is too slow for the foreground fails with the retry
 * `background`; one that is too slow for the background, or is not done at its deadline, fails for good.
 */
export async function watchVideo<Value>(
  isBackground: boolean,
  times: VideoTimes,
  make: (watch: Watch) => Promise<Value>,
): Promise<Value> {
  const { isAlone = () => true, monotonicClock = () => performance.now() } = times;
  const { processorTime = new ProcessorTime() } = times;
  const pace = isBackground ? BACKGROUND_PACE : FOREGROUND_PACE;
  const end = new AbortController();
  const progress = { elapsedMs: 0, fraction: 0 };
  let isPaused = false;
  const passed = countTime({ monotonicClock, processorTime });
  const check = () => {
    const passedMs = passed();
    if (!isPaused && (!isBackground || isAlone())) progress.elapsedMs += passedMs;
    if (isTooSlow(progress, pace)) end.abort(slowFailure(isBackground));
  };
  const deadline = setTimeout(
    () => end.abort(permanentFailure('The video took too long to process.')),
    times.videoTimeoutMs ?? VIDEO_TIMEOUT_MS,
  );
  const checks = setInterval(check, times.videoCheckIntervalMs ?? SECOND);
  try {
    const watch: Watch = {
      signal: AbortSignal.any([times.signal, end.signal]),
      report: (fraction) => {
        progress.fraction = fraction;
      },
      pause: async (work) => {
        check();
        isPaused = true;
        try {
          return await work();
        } finally {
          check();
          isPaused = false;
        }
      },
    };
    return await processorTime.measure(() => make(watch));
  } finally {
    clearTimeout(deadline);
    clearInterval(checks);
  }
}

const slowFailure = (isBackground: boolean) =>
  isBackground
    ? permanentFailure('The video would take more than 12 hours to process.')
    : new MediaFailure('A slow video is encoded in the background.', 'background');
