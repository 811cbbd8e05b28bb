import { join } from 'node:path';
import { EARLY_PLAYLIST, MASTER_PLAYLIST, type Size } from '../server/contract/media.ts';
import { isHdr } from './colour.ts';
import { encode, type Tools } from './encode.ts';
import { hasFilter } from './filters.ts';
import { encodingRate } from './frame-rate.ts';
import { makePoster, POSTER } from './poster.ts';
import { makePreviews, PREVIEWS } from './previews.ts';
import { probeVideo } from './probe.ts';
import {
  type PackagedSound,
  packageRendition,
  packageSound,
  type Rendition,
  writeMaster,
} from './rendition.ts';
import { renditionSizes } from './renditions.ts';
import { encodingRuns, shares } from './runs.ts';
import { sharp } from './sharp.ts';
import { thumbHash } from './thumb-hash.ts';

export type VideoWork = {
  /** Local file. */
  source: string;
  /** Existing, empty folder for what is made: this job's alone, tools write in it. */
  folder: string;
  /** Local image uploaded for the poster; null without. */
  thumbnail: string | null;
  resolutions: Size[];
  timelinePreview: boolean;
  tools: Tools;
  signal: AbortSignal;
  /** 0 to 1. */
  onProgress: (done: number) => void;
  /** One size can be played, others follow; its files may be moved away. */
  onPlayable: (early: MadeVideo) => Promise<void>;
};

export type MadeVideo = Size & {
  /** Paths below the folder, without those told before; the playlist to open first is last. */
  files: string[];
  entry: string;
  duration: number;
  poster?: string;
  previews?: string;
  thumbHash?: string;
};

/**
 * Makes HLS of a local video: where more than one size is wanted, first a small one with the
 * sound, told by `onPlayable`, then the others in one run; a master playlist over what there is
 * each time. Returns the size of the largest rendition and the source's duration in milliseconds.
 * Throws MediaFailure, or the signal's reason.
 */
export async function makeVideo(work: VideoWork): Promise<MadeVideo> {
  const { source, folder, tools, signal, thumbnail } = work;
  const probe = await probeVideo(source, { ffprobe: tools.ffprobe, cwd: folder, signal });
  const sizes = renditionSizes(probe, work.resolutions);
  const size = sizes[0] ?? probe;
  const rate = encodingRate(probe.meanRate, probe.baseRate, probe.interlaced);
  const hasZscale = isHdr(probe.colours) && (await hasFilter(tools.ffmpeg, 'zscale'));
  const { ffmpeg } = tools;
  const posterWork = { source, folder, thumbnail, probe, size, hasZscale, ffmpeg, signal };
  const hasPoster = await makePoster(posterWork);
  const about = {
    width: size.width,
    height: size.height,
    duration: probe.durationMs,
    ...(hasPoster && { poster: POSTER, thumbHash: await thumbHash(sharp(join(folder, POSTER))) }),
  };

  const runs = encodingRuns(sizes);
  const share = shares(runs, probe);
  const renditions: Rendition[] = [];
  let files = hasPoster ? [POSTER] : [];
  let sound: PackagedSound | null = null;
  let done = 0;
  for (const [index, some] of runs.entries()) {
    const isFirst = index === 0;
    const part = share[index] ?? 0;
    await encode(work, probe, {
      sizes: some,
      rate,
      hasZscale,
      audioIndex: isFirst ? probe.audioIndex : null,
      onProgress: (fraction) => work.onProgress(done + fraction * part),
    });
    done += part;
    if (isFirst && probe.audioIndex !== null) sound = await packageSound(folder);
    if (isFirst && sound) files.push(...sound.files);
    for (const one of some) {
      const rendition = await packageRendition(folder, one, rate);
      renditions.push(rendition);
      files.push(...rendition.files);
    }
    if (index < runs.length - 1) {
      files.push(await writeMaster(folder, EARLY_PLAYLIST, renditions, sound));
      await work.onPlayable({ ...about, files, entry: EARLY_PLAYLIST });
      files = [];
    }
  }

  // The last run's smallest: what was told as playable has moved away.
  const smallest = renditions.at(-1);
  if (work.timelinePreview && smallest) {
    const keyFrames = smallest.variant.keyFrames.segments;
    files.push(...(await makePreviews({ folder, size: smallest.size, keyFrames, ffmpeg, signal })));
  }
  files.push(await writeMaster(folder, MASTER_PLAYLIST, renditions, sound));
  const previews = work.timelinePreview ? { previews: PREVIEWS } : {};
  return { ...about, ...previews, files, entry: MASTER_PLAYLIST };
}
