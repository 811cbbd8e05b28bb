import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RENDITION_PLAYLIST, type Size } from '../../server/contract/media.ts';
import { permanentFailure } from '../media-failure.ts';
import { type Fragment, readTrack } from '../mp4/track.ts';
import type { FrameRate } from './frame-rate.ts';
import { AUDIO_CHANNELS, KEY_FRAME_SECONDS, SEGMENT_SECONDS, videoTrack } from './hls-arguments.ts';
import {
  type MeasuredSegment,
  type MediaSegment,
  masterPlaylist,
  mediaPlaylist,
  type Sound,
  type Variant,
} from './playlists.ts';
import { sizeName } from './renditions.ts';

const KEY_FRAMES = 'iframes.m3u8';
const INIT = 'init.mp4';

type Packaged = {
  /** Paths below the folder. A playlist comes after the files that it refers to. */
  files: string[];
  /** The codec as RFC 6381 names it. */
  codec: string;
  segments: MeasuredSegment[];
  /** Sizes and durations of the key frames alone. */
  keyFrames: MeasuredSegment[];
};

type Packaging = {
  folder: string;
  /** The name of the folder that is made below `folder`. */
  name: string;
  /** A fragmented MP4 of one track below `folder`; it is removed. */
  track: string;
  /** How many fragments each segment joins. */
  fragmentsPerSegment: number;
  /** Whether to write a playlist of the key frames, which are byte ranges of the same segments. */
  hasKeyFrames: boolean;
};

/**
 * Cuts an encoded track into HLS segments. ffmpeg's own HLS muxer can't begin a fragment at each key frame
 * without writing the first ones into the init section, and it delays picture and sound differently when
 * they are in separate files. Throws MediaFailure where the track is empty.
 */
export async function packageTrack(packaging: Packaging): Promise<Packaged> {
  const { folder, name, fragmentsPerSegment, hasKeyFrames } = packaging;
  const path = join(folder, packaging.track);
  const { initEnd, fragments } = readTrack(path);
  if (fragments.length === 0)
    throw permanentFailure('The video is damaged or incomplete. Export it again.');
  await mkdir(join(folder, name), { recursive: true });
  const files: string[] = [];
  const write = async (file: string, content: string | Uint8Array) => {
    await Bun.write(join(folder, name, file), content);
    files.push(`${name}/${file}`);
  };
  const init = await bytesOf(path, 0, initEnd);
  await write(INIT, init);
  const segments: (MediaSegment & MeasuredSegment)[] = [];
  const keyFrames: (MediaSegment & MeasuredSegment)[] = [];
  for (const group of segmentGroups(fragments, fragmentsPerSegment)) {
    const uri = `seg_${String(segments.length).padStart(5, '0')}.m4s`;
    const [start, end] = [group[0]?.start ?? 0, group.at(-1)?.end ?? 0];
    await write(uri, await bytesOf(path, start, end));
    const duration = durationOf(group);
    segments.push({ uri, duration, bytes: end - start });
    keyFrames.push(...group.map((one) => keyFrame(one, uri, start)));
  }
  await rm(path);
  await write(RENDITION_PLAYLIST, mediaPlaylist({ init: INIT, segments }));
  if (hasKeyFrames) {
    await write(
      KEY_FRAMES,
      mediaPlaylist({ init: INIT, segments: keyFrames, isIFramesOnly: true }),
    );
  }
  return { files, codec: codecOf(init), segments, keyFrames };
}

/**
 * Below this a last segment joins the one before it. hls.js waits forever for the end of a video whose last
 * segment is shorter than a tenth of a second. Up to this, a longer segment rounds to the same target duration.
 */
const MIN_LAST_SEGMENT_SECONDS = 0.45;

const durationOf = (group: Fragment[]) => group.reduce((sum, one) => sum + one.duration, 0);

/** Returns the fragments of each segment. */
function segmentGroups(fragments: Fragment[], perSegment: number): Fragment[][] {
  const groups: Fragment[][] = [];
  for (let first = 0; first < fragments.length; first += perSegment) {
    const group = fragments.slice(first, first + perSegment);
    const last = groups.at(-1);
    if (last && durationOf(group) < MIN_LAST_SEGMENT_SECONDS) last.push(...group);
    else groups.push(group);
  }
  return groups;
}

/** Returns the header and the first picture of a fragment, after which a player stops reading. */
function keyFrame(fragment: Fragment, uri: string, segmentStart: number) {
  const length = fragment.firstSampleEnd - fragment.start;
  const range = { length, offset: fragment.start - segmentStart };
  return { uri, duration: fragment.duration, range, bytes: length };
}

/** `Bun.write` with a slice writes the whole file (Bun 1.4.5), so the bytes are read first. */
const bytesOf = (path: string, start: number, end: number) =>
  Bun.file(path).slice(start, end).bytes();

/**
 * Returns the RFC 6381 name of the codec in one of our init sections: `avc1.PPCCLL` from its avcC box
 * (ISO/IEC 14496-15, 5.3.3.1: version, profile, compatibility, level) or `mp4a.40.2` (AAC-LC).
 */
function codecOf(init: Uint8Array): string {
  const bytes = Buffer.from(init.buffer, init.byteOffset, init.byteLength);
  const box = bytes.indexOf('avcC', 0, 'latin1');
  if (box >= 0 && box + 8 <= bytes.length) return `avc1.${bytes.toString('hex', box + 5, box + 8)}`;
  if (bytes.includes('mp4a', 0, 'latin1')) return 'mp4a.40.2';
  throw permanentFailure('The video could not be encoded.');
}

/** Paths of `files` are below the folder of the packaging. */
export type Rendition = { size: Size; variant: Variant; files: string[] };
export type PackagedSound = Sound & { files: string[] };

/** What a player's menu shows of a sound. */
type SoundLabel = Pick<Sound, 'name' | 'language' | 'isCommentary'>;

/**
 * Packages a sound track as `name`, such as `audio`. Returns null where it contains nothing that can be decoded.
 */
export async function packageSound(
  folder: string,
  { name: folderName, track: file, label }: { name: string; track: string; label: SoundLabel },
): Promise<PackagedSound | null> {
  const track = join(folder, file);
  if (Bun.file(track).size === 0 || readTrack(track).fragments.length === 0) {
    await rm(track, { force: true });
    return null;
  }
  const packaged = await packageTrack({
    folder,
    name: folderName,
    track: file,
    fragmentsPerSegment: 1,
    hasKeyFrames: false,
  });
  const { name, language, isCommentary } = label;
  const uri = `${folderName}/${RENDITION_PLAYLIST}`;
  return { ...packaged, uri, channels: AUDIO_CHANNELS, name, language, isCommentary };
}

/** Packages one encoded size as `{W}x{H}/`. Throws MediaFailure where it contains no picture. */
export async function packageRendition(
  folder: string,
  size: Size,
  rate: FrameRate,
): Promise<Rendition> {
  const name = sizeName(size);
  const packaged = await packageTrack({
    folder,
    name,
    track: videoTrack(size),
    fragmentsPerSegment: SEGMENT_SECONDS / KEY_FRAME_SECONDS,
    hasKeyFrames: true,
  });
  const { files, codec, segments } = packaged;
  const keyFrames = { uri: `${name}/${KEY_FRAMES}`, segments: packaged.keyFrames };
  const variant = { uri: `${name}/${RENDITION_PLAYLIST}`, size, rate, codec, segments, keyFrames };
  return { size, variant, files };
}

/** Writes a master playlist of some renditions, largest first, whatever the order they were encoded in. */
export async function writeMaster(
  folder: string,
  name: string,
  renditions: Rendition[],
  sounds: Sound[],
): Promise<string> {
  const area = ({ size }: Rendition) => size.width * size.height;
  const variants = renditions.toSorted((a, b) => area(b) - area(a)).map((one) => one.variant);
  await Bun.write(join(folder, name), masterPlaylist(variants, sounds));
  return name;
}
