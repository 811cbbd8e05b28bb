import { join } from 'node:path';
import { EARLY_PLAYLIST, MASTER_PLAYLIST, type Size } from '../../server/contract/media.ts';
import { encodingRate, type FrameRate } from '../hls/frame-rate.ts';
import { packageRendition, packageSound, type Rendition, writeMaster } from '../hls/packaging.ts';
import { renditionSizes } from '../hls/renditions.ts';
import { isHdr } from '../image/colour.ts';
import { thumbHash } from '../image/image.ts';
import { sharp } from '../image/sharp.ts';
import { hasFilter } from '../sandbox/ffmpeg.ts';
import { createEncodingRuns, encode, shares, type Tools } from './encode.ts';
import { makePoster, POSTER } from './poster.ts';
import { makePreviews, PREVIEWS } from './previews.ts';
import { type Probe, probeVideo } from './probe.ts';

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
  const { folder, tools, signal } = work;
  const { ffmpeg } = tools;
  const plan = await examine(work);
  const poster = await posterOf(work, plan);
  const about = { ...plan.size, duration: plan.probe.durationMs, ...poster };
  const runs = createEncodingRuns(plan.sizes);
  const [first = [], ...others] = runs;
  const [part = 1] = shares(runs, plan.probe);

  const { audioIndex } = plan.probe;
  const early = await encodeSome(work, { ...plan, audioIndex, sizes: first }, 0, part);
  const sound = audioIndex === null ? null : await packageSound(folder);
  const renditions = [...early];
  let files = [
    ...(poster ? [POSTER] : []),
    ...(sound?.files ?? []),
    ...early.flatMap((rendition) => rendition.files),
  ];
  for (const sizes of others) {
    files.push(await writeMaster(folder, EARLY_PLAYLIST, renditions, sound));
    await work.onPlayable({ ...about, files, entry: EARLY_PLAYLIST });
    const rest = await encodeSome(work, { ...plan, audioIndex: null, sizes }, part, 1 - part);
    renditions.push(...rest);
    files = rest.flatMap((rendition) => rendition.files);
  }

  // The last run's smallest: what was told as playable has moved away.
  const smallest = renditions.at(-1);
  const withPreviews = work.timelinePreview && smallest !== undefined;
  if (withPreviews) {
    const keyFrames = smallest.variant.keyFrames.segments;
    files.push(...(await makePreviews({ folder, size: smallest.size, keyFrames, ffmpeg, signal })));
  }
  files.push(await writeMaster(folder, MASTER_PLAYLIST, renditions, sound));
  return { ...about, ...(withPreviews && { previews: PREVIEWS }), files, entry: MASTER_PLAYLIST };
}

type Plan = {
  probe: Probe;
  /** Largest first. */
  sizes: Size[];
  /** The largest. */
  size: Size;
  rate: FrameRate;
  hasZscale: boolean;
};

async function examine({ source, folder, tools, signal, resolutions }: VideoWork): Promise<Plan> {
  const probe = await probeVideo(source, { ffprobe: tools.ffprobe, cwd: folder, signal });
  const sizes = renditionSizes(probe, resolutions);
  const { width, height } = sizes[0] ?? probe;
  const rate = encodingRate(probe.meanRate, probe.baseRate, probe.interlaced);
  const hasZscale = isHdr(probe.colours) && (await hasFilter(tools.ffmpeg, 'zscale'));
  return { probe, sizes, size: { width, height }, rate, hasZscale };
}

async function posterOf(work: VideoWork, plan: Plan) {
  const { source, folder, thumbnail, signal } = work;
  const { ffmpeg } = work.tools;
  const made = await makePoster({ source, folder, thumbnail, ...plan, ffmpeg, signal });
  return made
    ? { poster: POSTER, thumbHash: await thumbHash(sharp(join(folder, POSTER))) }
    : undefined;
}

/** One encoding run, which is the `part` of the whole work that begins when `done` of it is done. */
async function encodeSome(
  work: VideoWork,
  some: Plan & { audioIndex: number | null },
  done: number,
  part: number,
): Promise<Rendition[]> {
  const onProgress = (fraction: number) => work.onProgress(done + fraction * part);
  await encode(work, some.probe, { ...some, onProgress });
  const renditions: Rendition[] = [];
  for (const size of some.sizes) {
    renditions.push(await packageRendition(work.folder, size, some.rate));
  }
  return renditions;
}
