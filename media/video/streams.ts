import { permanentFailure } from '../media-failure.ts';
import { MAX_AUDIO_TRACKS } from './audio-tracks.ts';

/** A stream as ffprobe describes it. */
export type Stream = {
  index: number;
  codec_type?: string;
  codec_name?: string;
  pix_fmt?: string;
  width?: number;
  height?: number;
  sample_aspect_ratio?: string;
  r_frame_rate?: string;
  avg_frame_rate?: string;
  nb_frames?: string;
  field_order?: string;
  color_space?: string;
  color_transfer?: string;
  color_primaries?: string;
  color_range?: string;
  duration?: string;
  sample_rate?: string;
  channels?: number;
  disposition?: {
    default?: number;
    attached_pic?: number;
    comment?: number;
    visual_impaired?: number;
  };
  tags?: Record<string, string>;
  side_data_list?: {
    rotation?: number;
    dv_profile?: number;
    dv_bl_signal_compatibility_id?: number;
  }[];
};

/** Codecs of cover art, which not every program marks as attached. Motion JPEG is a video if it is alone. */
const STILL_CODECS = new Set(['mjpeg', 'png', 'bmp', 'gif', 'webp', 'tiff', 'jpegls']);
/** A preview has far fewer pixels than its film. The smallest standard size has a quarter of the next but one. */
const PREVIEW_FACTOR = 4;

/**
 * Returns the stream of the film: the one that the file marks as its default, or the largest one if that has
 * at least four times as many pixels, because programs that put a preview first mark it as the default. Of
 * equal streams the first is taken. Throws a permanent MediaFailure for a file without moving pictures.
 */
export function findPicture(streams: Stream[]): Stream {
  const pictures = streams.filter(
    (one) => one.codec_type === 'video' && !one.disposition?.attached_pic,
  );
  const moving = pictures.filter((one) => area(one) > 0 && !isStill(one));
  const candidates = [moving, pictures].find((some) => some.length > 0) ?? [];
  const largest = largestOf(candidates);
  if (largest) {
    const preferred = largestOf(candidates.filter((one) => one.disposition?.default));
    const isFilm = preferred && area(largest) < area(preferred) * PREVIEW_FACTOR;
    return isFilm ? preferred : largest;
  }
  throw permanentFailure(
    streams.some((one) => one.codec_type === 'audio')
      ? 'The file contains audio but no video. Upload it as a file.'
      : 'The file contains no video.',
  );
}

const area = ({ width = 0, height = 0 }: Stream) => width * height;
const isStill = ({ codec_name = '', nb_frames }: Stream) =>
  nb_frames === '1' || STILL_CODECS.has(codec_name);
const largestOf = (streams: Stream[]) => streams.toSorted((a, b) => area(b) - area(a))[0];

/** The profile of Dolby Vision whose base layer nothing else can show, and the first one that tells by an id. */
const PROFILE_WITHOUT_BASE = 5;
const PROFILE_OF_AV1 = 10;

/**
 * Throws a permanent MediaFailure for Dolby Vision whose base layer is in colours of its own (IPT-PQ-c2): a
 * decoder of HEVC or AV1 shows it in green and violet.
 */
export function refuseDolbyVision({ side_data_list = [] }: Stream): void {
  const isAlone = side_data_list.some(
    ({ dv_profile: profile, dv_bl_signal_compatibility_id: base }) =>
      profile === PROFILE_WITHOUT_BASE || (profile === PROFILE_OF_AV1 && base === 0),
  );
  if (!isAlone) return;
  throw permanentFailure(
    "Dolby Vision without a compatible base layer isn't supported. Export the video as HDR10 or SDR.",
  );
}

/** Returns the audio streams that ffmpeg can decode. Phones add streams that it can't (Apple's spatial audio). */
export const findSounds = (streams: Stream[]): Stream[] =>
  streams.filter(
    (one) =>
      one.codec_type === 'audio' &&
      one.codec_name !== undefined &&
      one.codec_name !== 'none' &&
      Number(one.sample_rate) > 0 &&
      Number(one.channels) > 0,
  );

/** Returns the stream that players play: the default one, else the first that is no commentary or description. */
export function findSound(sounds: Stream[]): Stream | undefined {
  const isMain = ({ disposition = {} }: Stream) =>
    !disposition.comment && !disposition.visual_impaired;
  return sounds.find((one) => one.disposition?.default) ?? sounds.find(isMain) ?? sounds[0];
}

const MAX_LANGUAGES = 10;

/**
 * Returns what of a file is delivered as nothing: '1 other audio track', '2 subtitle tracks (en,
 * fr)', 'chapters'. A single chapter is the whole film.
 */
export function listLeftOut(streams: Stream[], sounds: Stream[], chapters: number): string[] {
  const subtitles = streams.filter((one) => one.codec_type === 'subtitle');
  const languages = new Set(subtitles.map((one) => one.tags?.language ?? ''));
  const known = [...languages].filter((one) => /^[a-z]{2,3}$/i.test(one) && one !== 'und');
  const tracks = (count: number, what: string) =>
    count > 0 ? [`${count} ${what} ${count === 1 ? 'track' : 'tracks'}`] : [];
  const names = known.length > 0 ? ` (${known.slice(0, MAX_LANGUAGES).join(', ')})` : '';
  return [
    ...tracks(sounds.length - MAX_AUDIO_TRACKS, 'other audio'),
    ...tracks(subtitles.length, 'subtitle').map((text) => text + names),
    ...(chapters > 1 ? ['chapters'] : []),
  ];
}
