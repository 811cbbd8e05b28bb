import { relative } from 'node:path';
import { SECOND } from '../../server/contract/limits.ts';
import type { Size } from '../../server/contract/media.ts';
import { encodingRate, type FrameRate, parseRate, rateValue } from '../hls/frame-rate.ts';
import type { Colours } from '../image/colour.ts';
import { permanentFailure, temporaryFailure, toolFailure } from '../media-failure.ts';
import { INDEX_MISSING, startsLikeMp4 } from '../mp4/mp4-index.ts';
import { sandboxedInput } from '../sandbox/ffmpeg.ts';
import { runTool, STDOUT_BYTES, ToolFailedError } from '../sandbox/process.ts';
import { type AudioTrack, listAudioTracks } from './audio-tracks.ts';
import {
  findPicture,
  findSound,
  findSounds,
  listLeftOut,
  refuseDolbyVision,
  type Stream,
} from './streams.ts';

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

const LIMITS = { cpuSeconds: 60, memoryBytes: 2 * 2 ** 30, fileBytes: 0 };
const TIMEOUT_MS = 60 * SECOND;
/** H.264 level 6.2 is the largest, and what could not be encoded is not decoded either. */
const MAX_PIXELS = 36_000_000;
/** Forged time stamps can't request years of video. */
const MAX_DURATION_MS = 12 * 3600 * SECOND;

export type ProbeOptions = { ffprobe: string; cwd: string; signal: AbortSignal };

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
    declaredMs: declaredDurations(format, streams, { video, audio, durationMs }),
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

/** Formats without a header. ffprobe calculates their durations from time stamps, which can jump. */
const HEADERLESS = new Set(['mpegts', 'mpeg']);

function declaredDurations(
  format: Format,
  streams: Stream[],
  { video, audio, durationMs }: { video: Stream; audio: Stream | undefined; durationMs: number },
): Probe['declaredMs'] {
  const isHeaderless = HEADERLESS.has(format.format_name ?? '');
  // Matroska counts from zero, also where everything begins later.
  const start = Math.max(0, Number(format.start_time) || 0);
  // A forged tag must not request hours of silence or of the last picture.
  const milliseconds = (seconds: number) =>
    !isHeaderless && seconds > 0 ? Math.min(durationMs, Math.round(seconds * SECOND)) : null;
  // Of a Matroska stream with one packet or none, ffprobe tells the duration of the file.
  const ofStream = (stream: Stream | undefined) =>
    milliseconds(stream?.tags?.DURATION ? taggedSeconds(stream) - start : Number(stream?.duration));
  const isWhole = streams.every((one) => one === video || one === audio);
  return {
    picture: ofStream(video),
    sound: ofStream(audio),
    file: isWhole ? milliseconds(Number(format.duration) - start) : null,
  };
}

/** Returns the duration in the tags of a Matroska stream, such as '00:00:04.007000000'; 0 without one. */
function taggedSeconds(stream: Stream | undefined): number {
  const [hours, minutes, seconds] = (stream?.tags?.DURATION ?? '').split(':').map(Number);
  return ((hours ?? 0) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0) || 0;
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

/** What is asked of a file. All tags of a file can be larger than the film. */
const ENTRIES = [
  'stream=index,codec_type,codec_name,pix_fmt,width,height,sample_aspect_ratio,r_frame_rate',
  ',avg_frame_rate,nb_frames,field_order,color_space,color_transfer,color_primaries,color_range',
  ',duration,sample_rate,channels:stream_disposition=default,attached_pic,comment,visual_impaired',
  ':stream_tags=language,title,rotate,alpha_mode,ALPHA_MODE,DURATION:stream_side_data',
  ':format=format_name,start_time,duration:chapter=id',
].join('');

async function examine(path: string, options: ProbeOptions) {
  const output = await ffprobe(options, ['-show_entries', ENTRIES, '-of', 'json'], path);
  const { streams, format, chapters } = parse(output);
  const video = findPicture(streams);
  refuseDolbyVision(video);
  return { streams, format, chapters, video };
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

/**
 * Returns the end of the last packet in milliseconds, because browsers record WebM without a duration. A
 * packet that doesn't tell its own lasts for a frame, which is all of a video of one frame.
 */
async function measureDuration(
  path: string,
  { index, avg_frame_rate, r_frame_rate }: Stream,
  options: ProbeOptions,
): Promise<number> {
  const rate = encodingRate(parseRate(avg_frame_rate), parseRate(r_frame_rate));
  let end = 0;
  const fields = ['packet=pts_time,duration_time', '-of', 'csv=p=0'];
  const selected = ['-select_streams', String(index), '-show_entries', ...fields];
  await ffprobe(options, selected, path, (line) => {
    const [start = 0, duration = 0] = line.split(',').map(Number.parseFloat);
    if (start >= 0) end = Math.max(end, start + (duration || 1 / rateValue(rate)));
  });
  return end * SECOND;
}

async function ffprobe(
  options: ProbeOptions,
  show: string[],
  path: string,
  onStdoutLine?: (line: string) => void,
): Promise<string> {
  const { cwd, signal } = options;
  const command = [options.ffprobe, '-v', 'error', ...show, ...sandboxedInput(relative(cwd, path))];
  try {
    const run = { command, cwd, signal, timeoutMs: TIMEOUT_MS, limits: LIMITS, onStdoutLine };
    return (await runTool({ ...run, sources: [path] })).stdout;
  } catch (error) {
    if (!(error instanceof ToolFailedError)) throw error;
    const isCutOff =
      error.stderrTail.includes('moov atom not found') && (await startsLikeMp4(path));
    const reason = isCutOff ? INDEX_MISSING : "This file isn't a supported video.";
    throw toolFailure(error, 'video', reason);
  }
}

type Format = { format_name?: string; start_time?: string; duration?: string };

function parse(output: string): { streams: Stream[]; format: Format; chapters: unknown[] } {
  try {
    const { streams = [], format = {}, chapters = [] } = JSON.parse(output);
    return { streams, format, chapters };
  } catch (error) {
    if (output.length >= STDOUT_BYTES) throw permanentFailure('The video has too many chapters.');
    throw temporaryFailure('The video could not be analysed.', error);
  }
}
