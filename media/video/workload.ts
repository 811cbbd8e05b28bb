import type { Size } from '../../server/contract/media.ts';
import { type FrameRate, rateValue } from '../hls/frame-rate.ts';
import { MediaFailure, permanentFailure } from '../media-failure.ts';

/** The cost of decoding a pixel, relative to encoding one. */
export const DECODING_COST = 0.3;
/**
 * The most pixels of one video, in all frames of all sizes. Four hours of 4K at 30 frames per second have as
 * many, with four smaller sizes two and a half. A file of 2 MB can declare twelve hours in eight sizes of
 * 4K, which are seventeen times as many and occupy two cores for weeks.
 */
export const MAX_VIDEO_WORK = 5e12;

/**
 * A video with more pixels is long: it is encoded in the background, because others would have to wait for
 * it. 25 minutes of 1080p in five sizes have as many, for which a slow machine takes an hour.
 */
export const LONG_VIDEO_WORK = 2e11;

const pixels = ({ width, height }: Size) => width * height;

export type DeclaredVideo = { source: Size; sizes: Size[]; rate: FrameRate; durationMs: number };

/** Returns how many pixels a video makes us code, decoding counted at its lower cost. */
export function videoWork({ source, sizes, rate, durationMs }: DeclaredVideo): number {
  const frames = (durationMs / 1000) * rateValue(rate);
  const perFrame = sizes.reduce((sum, size) => sum + pixels(size), pixels(source) * DECODING_COST);
  return frames * perFrame;
}

/**
 * Throws a permanent MediaFailure for a video that has too many pixels to encode, and one with the retry
 * `background` for a long video that is not in the background yet.
 */
export function checkVideoWork(video: DeclaredVideo, isBackground: boolean): void {
  const work = videoWork(video);
  if (work <= LONG_VIDEO_WORK || (isBackground && work <= MAX_VIDEO_WORK)) return;
  if (work <= MAX_VIDEO_WORK) {
    throw new MediaFailure('A long video is encoded in the background.', 'background');
  }
  const hours = (video.durationMs / 3_600_000).toFixed(1);
  const { length: count } = video.sizes;
  throw permanentFailure(
    `The video is too long for its ${count === 1 ? 'resolution' : `${count} resolutions`} (${hours} hours). Select fewer or smaller ones.`,
  );
}
