import { SECOND } from '../../server/contract/limits.ts';
import type { Size } from '../../server/contract/media.ts';
import { type FrameRate, parseRate } from '../hls/frame-rate.ts';
import type { Colours } from '../image/colour.ts';
import { permanentFailure } from '../media-failure.ts';
import { type AudioTrack, listAudioTracks } from './audio-tracks.ts';
import { findDeclaredDurations } from './declared-durations.ts';
import { examine, measureDuration, type ProbeOptions } from './ffprobe.ts';
import { findSound, findSounds, listLeftOut, type Stream } from './streams.ts';

export type Probe = {
  /** The size that a viewer sees, after rotation and with square pixels. */
  width: number;
  height: number;
  /** Degrees by which a player rotates the picture clockwise: 0, 90, 180 or 270. */
  rotation: number;
  /** The mean rate; null where the file does not declare it. */
  meanRate: FrameRate | null;
  /** The slowest rate that fits all time stamps. It is above the mean where the rate varies. */
  baseRate: FrameRate | null;
  /** Whether the file calls itself interlaced or progressive; null where it doesn't tell. */
  isInterlaced: boolean | null;
  durationMs: number;
  /**
   * What the container says that the picture, the sound and the whole file last, in milliseconds; null where
   * it doesn't. It says of the whole file only where that has no other streams.
   */
  declaredMs: { picture: number | null; sound: number | null; file: number | null };
  videoIndex: number;
  videoCodec: string;
  /** The lines of the picture as it is stored, before rotation. */
  codedHeight: number;
  pixelFormat: string;
  /** Whether WebM declares a second picture with the transparency. */
  hasAlphaTrack: boolean;
  colours: Colours;
  /** The index of the audio stream to use; null without one that can be decoded. */
  audioIndex: number | null;
  audioChannels: number;
  /** The audio to deliver, that of `audioIndex` first. */
  audioTracks: AudioTrack[];
  /** Whether there is an audio stream, which perhaps can't be decoded. */
  hasSound: boolean;
  /** What the file has and HLS doesn't get, such as '2 subtitle tracks'. */
  leftOut: string[];
};

/** H.264 level 6.2 is the largest, and what could not be encoded is not decoded either. */
const MAX_PIXELS = 36_000_000;
/** Forged time stamps can't request years of video. */
const MAX_DURATION_MS = 12 * 3600 * SECOND;

/**
 * Reads the properties of a local video. Throws a permanent MediaFailure for anything that can't be made
 * playable: other formats, no picture, no duration, sizes past the limits.
 */
export async function probeVideo(path: string, options: ProbeOptions): Promise<Probe> {
  const { streams, format, chapters, video } = await examine(path, options);
  if (!video.width || !video.height || !video.codec_name || !video.pix_fmt) {
    throw permanentFailure("This video format isn't supported.");
  }
  if (video.width * video.height > MAX_PIXELS) {
    throw permanentFailure(
      `The video is ${video.width}x${video.height} pixels, which is too large.`,
    );
  }
  const declaredMs = Number(format.duration ?? video.duration ?? 0) * SECOND;
  const durationMs = Math.round(
    declaredMs > 0 ? declaredMs : await measureDuration(path, video, options),
  );
  if (!(durationMs > 0)) throw permanentFailure('The video has no duration.');
  if (durationMs > MAX_DURATION_MS) throw permanentFailure('The video is longer than 12 hours.');
  const sounds = findSounds(streams);
  const audio = findSound(sounds);
  const size = displaySize(video);
  return {
    ...size,
    meanRate: parseRate(video.avg_frame_rate),
    baseRate: parseRate(video.r_frame_rate),
    isInterlaced: interlacedBy(video.field_order),
    durationMs,
    declaredMs: findDeclaredDurations(format, streams, { video, audio, durationMs }),
    videoIndex: video.index,
    videoCodec: video.codec_name,
    codedHeight: video.height,
    pixelFormat: video.pix_fmt,
    hasAlphaTrack: (video.tags?.alpha_mode ?? video.tags?.ALPHA_MODE) === '1',
    colours: {
      matrix: video.color_space ?? '',
      transfer: video.color_transfer ?? '',
      primaries: video.color_primaries ?? '',
      range: video.color_range ?? '',
      lines: size.rotation % 180 === 0 ? size.height : size.width,
    },
    audioIndex: audio?.index ?? null,
    audioChannels: Number(audio?.channels ?? 0),
    audioTracks: listAudioTracks(sounds, audio),
    hasSound: streams.some((one) => one.codec_type === 'audio'),
    leftOut: listLeftOut(streams, sounds, chapters.length),
  };
}

/**
 * Returns the size of a video as a viewer sees it, also for a file that contains only the index. Throws as
 * `probeVideo` does.
 */
export async function probeSize(path: string, options: ProbeOptions): Promise<Size> {
  const { video } = await examine(path, options);
  if (!video.width || !video.height) {
    throw permanentFailure("This video format isn't supported.");
  }
  const { width, height } = displaySize(video);
  return { width, height };
}

function interlacedBy(fieldOrder = 'unknown'): boolean | null {
  if (fieldOrder === 'unknown') return null;
  return fieldOrder !== 'progressive';
}

/**
 * HTML, "natural width and height": the picture grows in one direction to reach its pixel aspect ratio and
 * never shrinks.
 */
function displaySize(video: Stream): { width: number; height: number; rotation: number } {
  let width = video.width ?? 0;
  let height = video.height ?? 0;
  const [across = 1, down = 1] = (video.sample_aspect_ratio ?? '1:1').split(':').map(Number);
  const aspect = across > 0 && down > 0 ? across / down : 1;
  if (aspect > 1) width = Math.round(width * aspect);
  else height = Math.round(height / aspect);
  const matrix = video.side_data_list?.find((one) => one.rotation !== undefined)?.rotation;
  const clockwise = matrix !== undefined ? -matrix : Number(video.tags?.rotate ?? 0);
  const rotation = (((Math.round(clockwise / 90) * 90) % 360) + 360) % 360;
  return rotation % 180 === 0
    ? { width, height, rotation }
    : { width: height, height: width, rotation };
}
