import type { Size } from '../../server/contract/media.ts';
import { type Colours, toStandardColours } from '../image/colour.ts';
import { sandboxedInput } from '../sandbox/ffmpeg.ts';
import { type FrameRate, rateValue } from './frame-rate.ts';
import { h264Level, sizeName, videoRate } from './renditions.ts';

export const SEGMENT_SECONDS = 6;
export const KEY_FRAME_SECONDS = 2;
export const AUDIO_CHANNELS = 2;
/**
 * With trellis quantisation and a longer look-ahead, `veryfast` takes at most 4% more processor time for five
 * sizes, and 7 to 26% fewer bytes at equal VMAF. `faster` would take 45% more time for another 5%.
 */
const X264_OPTIONS = ['-preset', 'veryfast', '-x264-params', 'trellis=1:rc-lookahead=20'];
/** The quality (VMAF) that `veryfast` alone reaches at 23. */
const CRF = 24;
const AUDIO_KBITS = 128;

/** What picture or sound gets at its end, so that both end together. */
export type Padding = {
  /** The seconds for which the last picture stays. */
  stillSeconds: number;
  /** The seconds that sound lasts at least, by silence after it. */
  soundSeconds: number;
};

export type Encode = Padding & {
  /** A local file, relative to the working directory. */
  source: string;
  /** The size of the source after rotation. */
  width: number;
  height: number;
  videoIndex: number;
  /** Null where there is no sound, or another run encodes it. */
  audioIndex: number | null;
  /** The channels of that sound; 0 without one. */
  audioChannels: number;
  /** Further audio, each encoded into a track of its own that is cut after `endSeconds`. */
  otherSounds?: { index: number; channels: number; track: string; endSeconds: number }[];
  /** Options that select the decoder of the picture, none for ffmpeg's choice. */
  decoder: string[];
  /** Filters that make whole pictures of what the decoder returns. */
  filters: string[];
  colours: Colours;
  /** Whether this ffmpeg has the filter zscale. */
  hasZscale: boolean;
  /** Whether this ffmpeg can drop packets by an expression. */
  canDropPackets: boolean;
  /** Even sizes of one aspect ratio, largest first. None where only sound is encoded. */
  sizes: Size[];
  rate: FrameRate;
  /** Threads of each encoder. */
  threads: number;
};

export const videoTrack = (size: Size) => `${sizeName(size)}.mp4`;
export const AUDIO_TRACK = 'audio.mp4';

/**
 * Returns the arguments (without the program) of an ffmpeg process that encodes a video as H.264 and AAC.
 * It writes a fragmented MP4 `{W}x{H}.mp4` for each size and `audio.mp4` to the working directory, with a
 * fragment for each key frame interval, and its progress to standard output. ffmpeg itself rotates the
 * picture. Metadata such as place and device is dropped.
 */
export function hlsArguments(encode: Encode): string[] {
  return [
    // The log tells what can't be decoded, and at last how many packets and frames there were.
    ...['-hide_banner', '-nostdin', '-nostats', '-loglevel', 'repeat+level+verbose', '-y'],
    ...['-progress', 'pipe:1', '-stats_period', '0.5'],
    // A track of several that can't be decoded is left out.
    ...(encode.otherSounds ? ['-max_error_rate', '1'] : []),
    ...encode.decoder,
    ...sandboxedInput(encode.source),
    ...(encode.sizes.length > 0 ? ['-filter_complex', filterGraph(encode)] : []),
    ...encode.sizes.flatMap((size, index) => picture(encode, size, index)),
    ...(encode.audioIndex === null ? [] : mainSound(encode.audioIndex, encode)),
    ...(encode.otherSounds ?? []).flatMap((one) =>
      sound(one, [...lasting(encode), `atrim=end=${one.endSeconds}`], encode),
    ),
  ];
}

/** The sizes are cascaded: each one is scaled from the next larger one, which costs a fifth less. */
function filterGraph(encode: Encode): string {
  const { videoIndex, filters, sizes, rate, stillSeconds, colours, hasZscale } = encode;
  const still = stillSeconds > 0 ? `,tpad=stop_mode=clone:stop_duration=${stillSeconds}` : '';
  const steady = `fps=${rate.frames}/${rate.seconds}:start_time=0${still}`;
  const prepared = filters.map((filter) => `${filter},`).join('');
  return sizes
    .map((size, index) => {
      const steps =
        index === 0
          ? `[0:${videoIndex}]${prepared}${steady},${toStandardColours(colours, size, hasZscale)}`
          : `[c${index}]scale=${size.width}:${size.height}:flags=bicubic,setsar=1`;
      const isLast = index === sizes.length - 1;
      return steps + (isLast ? `[v${index}]` : `,split=2[v${index}][c${index + 1}]`);
    })
    .join(';');
}

function picture({ rate, threads }: Encode, size: Size, index: number): string[] {
  const bits = videoRate(size, rate);
  return [
    ...['-map', `[v${index}]`],
    ...['-c:v', 'libx264', ...X264_OPTIONS, '-threads:v', String(threads)],
    ...['-profile:v', 'high', '-level:v', h264Level(size, rate, bits), '-crf', String(CRF)],
    ...['-maxrate:v', `${bits.maxrate}k`, '-bufsize:v', `${bits.bufsize}k`],
    ...['-force_key_frames', `expr:gte(t,n_forced*${KEY_FRAME_SECONDS})`, '-sc_threshold', '0'],
    // The forced key frames decide; a shorter GOP would add its own between them.
    ...['-g', String(Math.ceil(rateValue(rate) * KEY_FRAME_SECONDS * 2))],
    ...['-color_range', 'tv', '-colorspace', 'bt709'],
    ...['-color_primaries', 'bt709', '-color_trc', 'bt709'],
    ...fragmented('+frag_keyframe'),
    videoTrack(size),
  ];
}

/**
 * Drops each packet that isn't later than the last one kept. Where the format of the sound changes, ffmpeg
 * starts its filters again, and `first_pts=0` repeats all the time before as silence. The muxer squeezed that
 * silence into a 48,000th of a second per packet: a playlist told 6 seconds of 10. An ffmpeg before 5.0
 * can't drop packets by an expression, and refuses the option.
 */
const DROP_REPEATED = "noise=drop='if(eq(n,0)+gt(pts,ld(0)),0*st(0,pts),1)'";

/** Gaps become silence, so that sound which starts late or skips stays in sync with the picture. */
const STEADY_SOUND = 'aresample=async=1:first_pts=0';

/**
 * Returns the filters that make two channels. ffmpeg's own mix makes one channel 3 dB quieter, and adds more
 * than two up to 2.4 times full scale, which clips: a limiter keeps the loudness and lowers the peaks only.
 */
function stereo(channels: number): string[] {
  if (channels > 2) return ['aformat=channel_layouts=stereo', 'alimiter=limit=0.9:level=0'];
  return channels === 1 ? ['pan=stereo|FL=FL+FC|FR=FR+FC'] : [];
}

const lasting = ({ soundSeconds }: Encode) =>
  soundSeconds > 0 ? [`apad=whole_dur=${soundSeconds}`] : [];

const mainSound = (index: number, encode: Encode) =>
  sound({ index, channels: encode.audioChannels, track: AUDIO_TRACK }, lasting(encode), encode);

function sound(
  { index, channels, track }: { index: number; channels: number; track: string },
  ending: string[],
  { canDropPackets }: Encode,
): string[] {
  const filters = [STEADY_SOUND, ...stereo(channels), ...ending].join(',');
  return [
    ...['-map', `0:${index}`, '-c:a', 'aac', '-b:a', `${AUDIO_KBITS}k`],
    ...['-ac', String(AUDIO_CHANNELS), '-ar', '48000', '-af', filters],
    ...(canDropPackets ? ['-bsf:a', DROP_REPEATED] : []),
    ...fragmented(''),
    ...['-frag_duration', String(SEGMENT_SECONDS * 1e6), track],
  ];
}

/**
 * The header is written late, so that its edit list contains the delay that encoders add at the start.
 * Players use it to start picture and sound together, although they are in different files.
 */
function fragmented(more: string): string[] {
  const flags = `+delay_moov+default_base_moof+skip_trailer${more}`;
  return [
    ...['-map_metadata', '-1', '-map_chapters', '-1', '-max_muxing_queue_size', '4096'],
    ...['-f', 'mp4', '-movflags', flags],
  ];
}
