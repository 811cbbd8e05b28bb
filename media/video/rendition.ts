import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RENDITION_PLAYLIST, type Size } from '../../server/contract/media.ts';
import type { FrameRate } from '../hls/frame-rate.ts';
import {
  AUDIO_CHANNELS,
  AUDIO_TRACK,
  KEY_FRAME_SECONDS,
  SEGMENT_SECONDS,
  videoTrack,
} from '../hls/hls.ts';
import { KEY_FRAMES, packageTrack } from '../hls/packaging.ts';
import { masterPlaylist, type Sound, type Variant } from '../hls/playlists.ts';
import { sizeName } from '../hls/renditions.ts';
import { readTrack } from '../mp4/track.ts';

/** Paths of `files` are below the folder that it was packaged in. */
export type Rendition = { size: Size; variant: Variant; files: string[] };
export type PackagedSound = Sound & { files: string[] };

/** Packages the sound as `audio/`; null where the sound track turned out to hold nothing that can be decoded. */
export async function packageSound(folder: string): Promise<PackagedSound | null> {
  const track = join(folder, AUDIO_TRACK);
  if (Bun.file(track).size === 0 || readTrack(track).fragments.length === 0) {
    await rm(track, { force: true });
    return null;
  }
  const packaged = await packageTrack({
    folder,
    name: 'audio',
    track: AUDIO_TRACK,
    fragmentsPerSegment: 1,
    hasKeyFrames: false,
  });
  return { ...packaged, uri: `audio/${RENDITION_PLAYLIST}`, channels: AUDIO_CHANNELS };
}

/** Packages one encoded size as `{W}x{H}/`. Throws MediaFailure where it holds no picture. */
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

/** Writes a master playlist over some renditions, largest first whatever the order they were made in. */
export async function writeMaster(
  folder: string,
  name: string,
  renditions: Rendition[],
  sound: Sound | null,
): Promise<string> {
  const area = ({ size }: Rendition) => size.width * size.height;
  const variants = renditions.toSorted((a, b) => area(b) - area(a)).map((one) => one.variant);
  await Bun.write(join(folder, name), masterPlaylist(variants, sound));
  return name;
}
