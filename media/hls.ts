import type { Size } from '../server/contract/media.ts';
import { type FrameRate, rateValue } from './frame-rate.ts';
import { h264Level, videoRate } from './h264.ts';
import { sizeName } from './renditions.ts';
import { sandboxedInput } from './sandbox.ts';

export const PLAYLIST = 'playlist.m3u8';
export const INIT_SEGMENT = 'init.mp4';
const SEGMENT_SECONDS = 6;
const KEY_FRAME_SECONDS = 2;
const CRF = 23;
const AUDIO_KBITS = 128;

export type Encode = {
  /** Local file. */
  source: string;
  videoIndex: number;
  /** Null without sound. */
  audioIndex: number | null;
  interlaced: boolean;
  /** Even sizes of one aspect ratio, largest first. */
  sizes: Size[];
  rate: FrameRate;
  /** Threads of each encoder. */
  threads: number;
};

/**
 * The arguments (without the program) that make H.264 and AAC HLS of a video in one ffmpeg
 * process. Each size gets a folder `{W}x{H}` below the working directory, which must exist, with
 * `playlist.m3u8`, `init.mp4` and `seg_00000.m4s` …; progress goes to standard output. The
 * picture is turned as its rotation says by ffmpeg itself; metadata (place, device) stays behind.
 *
 * One output for each size instead of one with `-var_stream_map`: that one insists on its own
 * names for the init segments.
 */
export function hlsArguments(encode: Encode): string[] {
  return [
    ...['-hide_banner', '-nostdin', '-loglevel', 'error', '-y'],
    ...['-progress', 'pipe:1', '-stats_period', '0.5'],
    ...sandboxedInput(encode.source),
    ...['-filter_complex', filterGraph(encode)],
    ...encode.sizes.flatMap((size, index) => output(encode, size, index)),
  ];
}

/** Cascaded: each size is scaled from the next larger one, which costs a fifth less. */
function filterGraph({ videoIndex, interlaced, sizes, rate }: Encode): string {
  const steady = `fps=${rate.frames}/${rate.seconds}:start_time=0`;
  const deinterlace = interlaced ? 'bwdif=mode=send_frame:deint=interlaced,' : '';
  return sizes
    .map(({ width, height }, index) => {
      const input = index === 0 ? `[0:${videoIndex}]${deinterlace}${steady},` : `[c${index}]`;
      const scale = `scale=${width}:${height}:flags=bicubic,setsar=1,format=yuv420p`;
      const isLast = index === sizes.length - 1;
      return input + scale + (isLast ? `[v${index}]` : `,split=2[v${index}][c${index + 1}]`);
    })
    .join(';');
}

function output(encode: Encode, size: Size, index: number): string[] {
  const { audioIndex, rate, threads } = encode;
  const bits = videoRate(size, rate);
  const folder = sizeName(size);
  return [
    ...['-map', `[v${index}]`, ...(audioIndex === null ? [] : ['-map', `0:${audioIndex}`])],
    ...['-map_metadata', '-1', '-map_chapters', '-1'],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-threads:v', String(threads)],
    ...['-profile:v', 'high', '-level:v', h264Level(size, rate, bits), '-crf', String(CRF)],
    ...['-maxrate:v', `${bits.maxrate}k`, '-bufsize:v', `${bits.bufsize}k`],
    ...['-force_key_frames', `expr:gte(t,n_forced*${KEY_FRAME_SECONDS})`, '-sc_threshold', '0'],
    // The forced key frames rule; a shorter GOP would add its own between them.
    ...['-g', String(Math.ceil(rateValue(rate) * KEY_FRAME_SECONDS * 2))],
    ...(audioIndex === null ? [] : sound()),
    ...['-max_muxing_queue_size', '4096'],
    ...['-f', 'hls', '-hls_time', String(SEGMENT_SECONDS), '-hls_playlist_type', 'vod'],
    ...['-hls_segment_type', 'fmp4', '-hls_flags', 'independent_segments'],
    ...['-hls_fmp4_init_filename', INIT_SEGMENT],
    ...['-hls_segment_filename', `${folder}/seg_%05d.m4s`, `${folder}/${PLAYLIST}`],
  ];
}

/** Gaps become silence, so that sound which starts late or skips stays with its picture. */
function sound(): string[] {
  return [
    ...['-c:a', 'aac', '-b:a', `${AUDIO_KBITS}k`, '-ac', '2', '-ar', '48000'],
    ...['-af', 'aresample=async=1:first_pts=0'],
  ];
}
