import type { Size } from '../../server/contract/media.ts';
import { type FrameRate, rateValue } from './frame-rate.ts';

/** The size and duration of a stored segment, in bytes and seconds. */
export type MeasuredSegment = { duration: number; bytes: number };

/** URIs are relative to the master playlist; codecs are those of RFC 6381. */
export type Variant = {
  uri: string;
  size: Size;
  rate: FrameRate;
  codec: string;
  segments: MeasuredSegment[];
  keyFrames: { uri: string; segments: MeasuredSegment[] };
};
export type Sound = {
  uri: string;
  codec: string;
  channels: number;
  segments: MeasuredSegment[];
  /** What a player's menu shows of several, and their language in BCP 47 where it is known. */
  name: string;
  language: string | null;
  isCommentary: boolean;
};

const GROUP = 'audio';
const COUNTED_ALONE_SECONDS = 1;

/**
 * Returns the master playlist (RFC 8216, 4.3.4) of variants in the given order. Their bandwidths include
 * the sound that takes most. Of several sounds the first is the default.
 */
export function masterPlaylist(variants: Variant[], sounds: Sound[]): string {
  return `${[
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    ...(sounds.length > 1 ? sounds.map(namedMedia) : sounds.map(media)),
    ...variants.flatMap((variant) => [streamOf(variant, sounds), variant.uri]),
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

/** Returns a sound of several. RFC 8216, 4.3.4.1.1: no two of a group have the same name, and one is the default. */
function namedMedia({ uri, channels, name, language, isCommentary }: Sound, at: number): string {
  const attributes = [
    'TYPE=AUDIO',
    `GROUP-ID="${GROUP}"`,
    ...(language ? [`LANGUAGE="${language}"`] : []),
    `NAME="${name}"`,
    `DEFAULT=${at === 0 ? 'YES' : 'NO'}`,
    `AUTOSELECT=${at === 0 || !isCommentary ? 'YES' : 'NO'}`,
    `CHANNELS="${channels}"`,
    `URI="${uri}"`,
  ];
  return `#EXT-X-MEDIA:${attributes.join(',')}`;
}

function streamOf({ size, rate, codec, segments }: Variant, sounds: Sound[]): string {
  const [sound] = sounds;
  const sum = (measure: (one: MeasuredSegment[]) => number) =>
    measure(segments) + Math.max(0, ...sounds.map((one) => measure(one.segments)));
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
 * Returns the peak bandwidth in bits per second, rounded up. RFC 8216, 4.1: "The peak segment bit rate of a
 * Media Playlist is the largest bit rate of any contiguous set of segments whose total duration is between
 * 0.5 and 1.5 times the target duration." A last segment of one to three seconds counts alone too, because
 * a player that measures segments sees its rate. A shorter one doesn't: one picture of 40 ms would tell
 * several times the rate that a player needs.
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
      if (duration >= Math.min(target * 0.5, COUNTED_ALONE_SECONDS))
        peak = Math.max(peak, (bytes * 8) / duration);
    }
  });
  // The rounding of a target below one second can leave no such set of segments.
  return Math.max(Math.ceil(peak), averageBandwidth(segments));
}

/** Returns the bits per second over the whole playlist, rounded up. */
export function averageBandwidth(segments: MeasuredSegment[]): number {
  const bytes = segments.reduce((sum, one) => sum + one.bytes, 0);
  const seconds = segments.reduce((sum, one) => sum + one.duration, 0);
  return seconds > 0 ? Math.ceil((bytes * 8) / seconds) : 0;
}

/** A range of bytes of a file. */
type ByteRange = { length: number; offset: number };

export type MediaSegment = {
  uri: string;
  /** In seconds. */
  duration: number;
  range?: ByteRange;
};

type MediaPlaylist = {
  /** The name of the initialization section. */
  init: string;
  segments: MediaSegment[];
  /** Whether each segment is one key frame, which lasts until the next one (RFC 8216, 4.3.3.6). */
  isIFramesOnly?: boolean;
};

/**
 * Returns the target duration in whole seconds. RFC 8216, 4.3.3.1: no segment is longer, "rounded to the
 * nearest integer".
 */
function targetDuration(segments: { duration: number }[]): number {
  return Math.max(1, ...segments.map(({ duration }) => Math.round(duration)));
}

/** Returns a complete media playlist (RFC 8216, 4.3.3). */
export function mediaPlaylist({ init, segments, isIFramesOnly = false }: MediaPlaylist): string {
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    `#EXT-X-TARGETDURATION:${targetDuration(segments)}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
    '#EXT-X-PLAYLIST-TYPE:VOD',
    isIFramesOnly ? '#EXT-X-I-FRAMES-ONLY' : '#EXT-X-INDEPENDENT-SEGMENTS',
    `#EXT-X-MAP:URI="${init}"`,
  ];
  for (const { uri, duration, range } of segments) {
    lines.push(`#EXTINF:${duration.toFixed(6)},`);
    if (range) lines.push(`#EXT-X-BYTERANGE:${range.length}@${range.offset}`);
    lines.push(uri);
  }
  return `${[...lines, '#EXT-X-ENDLIST'].join('\n')}\n`;
}
