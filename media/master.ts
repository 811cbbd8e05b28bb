import type { Size } from '../server/contract/media.ts';
import { type FrameRate, rateValue } from './frame-rate.ts';

/** One segment as stored: seconds and bytes. */
export type MeasuredSegment = { duration: number; bytes: number };

export type Variant = {
  /** Relative to the master playlist. */
  uri: string;
  size: Size;
  rate: FrameRate;
  /** RFC 6381. */
  codecs: string[];
  targetDuration: number;
  segments: MeasuredSegment[];
};

/** The master playlist of RFC 8216, 4.3.4, for variants in the order given. */
export function masterPlaylist(variants: Variant[]): string {
  const lines = ['#EXTM3U', '#EXT-X-VERSION:7', '#EXT-X-INDEPENDENT-SEGMENTS'];
  for (const variant of variants) {
    const attributes = [
      `BANDWIDTH=${peakBandwidth(variant.segments, variant.targetDuration)}`,
      `AVERAGE-BANDWIDTH=${averageBandwidth(variant.segments)}`,
      `RESOLUTION=${variant.size.width}x${variant.size.height}`,
      `FRAME-RATE=${rateValue(variant.rate).toFixed(3)}`,
      `CODECS="${variant.codecs.join(',')}"`,
    ];
    lines.push(`#EXT-X-STREAM-INF:${attributes.join(',')}`, variant.uri);
  }
  return `${lines.join('\n')}\n`;
}

/**
 * RFC 8216, 4.1: "The peak segment bit rate of a Media Playlist is the largest bit rate of any
 * contiguous set of segments whose total duration is between 0.5 and 1.5 times the target
 * duration." A short last segment alone therefore does not count. Bits a second, rounded up.
 */
export function peakBandwidth(segments: MeasuredSegment[], targetDuration: number): number {
  let peak = 0;
  segments.forEach((_, first) => {
    let duration = 0;
    let bytes = 0;
    for (let last = first; last < segments.length; last += 1) {
      duration += segments[last]?.duration ?? 0;
      bytes += segments[last]?.bytes ?? 0;
      if (duration > targetDuration * 1.5) break;
      if (duration >= targetDuration * 0.5) peak = Math.max(peak, (bytes * 8) / duration);
    }
  });
  // The rounding of a target below one second can leave no such set.
  return Math.max(Math.ceil(peak), averageBandwidth(segments));
}

/** Bits a second over the whole playlist, rounded up. */
export function averageBandwidth(segments: MeasuredSegment[]): number {
  const bytes = segments.reduce((sum, one) => sum + one.bytes, 0);
  const seconds = segments.reduce((sum, one) => sum + one.duration, 0);
  return seconds > 0 ? Math.ceil((bytes * 8) / seconds) : 0;
}
