import type { Size } from '../../server/contract/media.ts';
import { type FrameRate, rateValue } from './frame-rate.ts';
import { targetDuration } from './media-playlist.ts';

/** One segment as stored: seconds and bytes. */
export type MeasuredSegment = { duration: number; bytes: number };

/** URIs are relative to the master playlist, codecs as of RFC 6381. */
export type Variant = {
  uri: string;
  size: Size;
  rate: FrameRate;
  codec: string;
  segments: MeasuredSegment[];
  keyFrames: { uri: string; segments: MeasuredSegment[] };
};
export type Sound = { uri: string; codec: string; channels: number; segments: MeasuredSegment[] };

const GROUP = 'audio';

/**
 * The master playlist of RFC 8216, 4.3.4, for variants in the order given: their bandwidths are
 * those of picture and sound together.
 */
export function masterPlaylist(variants: Variant[], sound: Sound | null): string {
  return `${[
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    ...(sound ? [media(sound)] : []),
    ...variants.flatMap((variant) => [streamOf(variant, sound), variant.uri]),
    ...variants.map(keyFramesOf),
  ].join('\n')}\n`;
}

function media({ uri, channels }: Sound): string {
  const attributes = [
    'TYPE=AUDIO',
    `GROUP-ID="${GROUP}"`,
    'NAME="Audio"',
    'DEFAULT=YES',
    'AUTOSELECT=YES',
    `CHANNELS="${channels}"`,
    `URI="${uri}"`,
  ];
  return `#EXT-X-MEDIA:${attributes.join(',')}`;
}

function streamOf({ size, rate, codec, segments }: Variant, sound: Sound | null): string {
  const parts = sound ? [segments, sound.segments] : [segments];
  const sum = (measure: (one: MeasuredSegment[]) => number) =>
    parts.reduce((total, part) => total + measure(part), 0);
  const attributes = [
    `BANDWIDTH=${sum(peakBandwidth)}`,
    `AVERAGE-BANDWIDTH=${sum(averageBandwidth)}`,
    `RESOLUTION=${size.width}x${size.height}`,
    `FRAME-RATE=${rateValue(rate).toFixed(3)}`,
    `CODECS="${[codec, ...(sound ? [sound.codec] : [])].join(',')}"`,
    'VIDEO-RANGE=SDR',
    ...(sound ? [`AUDIO="${GROUP}"`] : []),
    'CLOSED-CAPTIONS=NONE',
  ];
  return `#EXT-X-STREAM-INF:${attributes.join(',')}`;
}

function keyFramesOf({ size, codec, keyFrames }: Variant): string {
  const attributes = [
    `BANDWIDTH=${peakBandwidth(keyFrames.segments)}`,
    `AVERAGE-BANDWIDTH=${averageBandwidth(keyFrames.segments)}`,
    `RESOLUTION=${size.width}x${size.height}`,
    `CODECS="${codec}"`,
    'VIDEO-RANGE=SDR',
    `URI="${keyFrames.uri}"`,
  ];
  return `#EXT-X-I-FRAME-STREAM-INF:${attributes.join(',')}`;
}

/**
 * RFC 8216, 4.1: "The peak segment bit rate of a Media Playlist is the largest bit rate of any
 * contiguous set of segments whose total duration is between 0.5 and 1.5 times the target
 * duration." A short last segment alone therefore does not count. Bits a second, rounded up.
 */
export function peakBandwidth(segments: MeasuredSegment[]): number {
  const target = targetDuration(segments);
  let peak = 0;
  segments.forEach((_, first) => {
    let duration = 0;
    let bytes = 0;
    for (let last = first; last < segments.length; last += 1) {
      duration += segments[last]?.duration ?? 0;
      bytes += segments[last]?.bytes ?? 0;
      if (duration > target * 1.5) break;
      if (duration >= target * 0.5) peak = Math.max(peak, (bytes * 8) / duration);
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
