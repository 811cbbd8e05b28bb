import { relative } from 'node:path';
import { SECOND } from '../../server/contract/limits.ts';
import { encodingRate, parseRate, rateValue } from '../hls/frame-rate.ts';
import { permanentFailure, temporaryFailure, toolFailure } from '../media-failure.ts';
import { INDEX_MISSING, startsLikeMp4 } from '../mp4/mp4-index.ts';
import { sandboxedInput } from '../sandbox/ffmpeg.ts';
import { runTool, STDOUT_BYTES, ToolFailedError } from '../sandbox/process.ts';
import { findPicture, refuseDolbyVision, type Stream } from './streams.ts';

const LIMITS = { cpuSeconds: 60, memoryBytes: 2 * 2 ** 30, fileBytes: 0 };
const TIMEOUT_MS = 60 * SECOND;
export type ProbeOptions = {
  ffprobe: string;
  cwd: string;
  signal: AbortSignal;
  /** The demuxers that may open the file; those of videos by default. */
  formats?: string;
};

export type Format = { format_name?: string; start_time?: string; duration?: string };

/** What is asked of a file. All tags of a file can be larger than the film. */
const ENTRIES = [
  'stream=index,codec_type,codec_name,pix_fmt,width,height,sample_aspect_ratio,r_frame_rate',
  ',avg_frame_rate,nb_frames,field_order,color_space,color_transfer,color_primaries,color_range',
  ',duration,sample_rate,channels:stream_disposition=default,attached_pic,comment,visual_impaired',
  ':stream_tags=language,title,rotate,alpha_mode,ALPHA_MODE,DURATION:stream_side_data',
  ':format=format_name,start_time,duration:chapter=id',
].join('');

/**
 * Returns the streams of a local video, the picture to show among them, and what its container says. Throws a
 * permanent MediaFailure where there is none.
 */
export async function examine(path: string, options: ProbeOptions) {
  const { streams, format, chapters } = await listStreams(path, options);
  const video = findPicture(streams);
  refuseDolbyVision(video);
  return { streams, format, chapters, video };
}

/** Returns the streams of a local file, and what its container says. Throws MediaFailure. */
export async function listStreams(path: string, options: ProbeOptions) {
  return parse(await ffprobe(options, ['-show_entries', ENTRIES, '-of', 'json'], path));
}

/**
 * Returns the end of the last packet in milliseconds, because browsers record WebM without a duration. A
 * packet that doesn't tell its own lasts for a frame, which is all of a video of one frame.
 */
export async function measureDuration(
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
  const { cwd, signal, formats } = options;
  const input = sandboxedInput(relative(cwd, path), formats);
  const command = [options.ffprobe, '-v', 'error', ...show, ...input];
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

function parse(output: string): { streams: Stream[]; format: Format; chapters: unknown[] } {
  try {
    const { streams = [], format = {}, chapters = [] } = JSON.parse(output);
    return { streams, format, chapters };
  } catch (error) {
    if (output.length >= STDOUT_BYTES) throw permanentFailure('The video has too many chapters.');
    throw temporaryFailure('The video could not be analysed.', error);
  }
}
