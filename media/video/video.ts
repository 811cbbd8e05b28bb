import { SECOND } from '../../server/contract/limits.ts';
import { MASTER_PLAYLIST, PARTIAL_PLAYLIST, type Size } from '../../server/contract/media.ts';
import type { Decode } from '../decoder/tasks.ts';
import { encodingRate, type FrameRate, rateValue } from '../hls/frame-rate.ts';
import { packageRendition, packageSound, type Rendition, writeMaster } from '../hls/packaging.ts';
import { renditionSizes } from '../hls/renditions.ts';
import { isHdr } from '../image/colour.ts';
import { toolMemory } from '../sandbox/confine.ts';
import { canDropPackets, hasFilter } from '../sandbox/ffmpeg.ts';
import { encodeAligned } from './aligned.ts';
import { findCompositing } from './alpha.ts';
import { DecodingLog, describeLoss } from './damage.ts';
import { createEncodingRuns, encode, shares, type Tools } from './encode.ts';
import { findDeinterlacing } from './interlacing.ts';
import { checkVideoMemory } from './memory.ts';
import { makePoster, POSTER } from './poster.ts';
import { makePreviews, PREVIEWS } from './previews.ts';
import { type Probe, probeVideo } from './probe.ts';
import { checkVideoWork } from './workload.ts';

export type VideoWork = {
  /** A local file. */
  source: string;
  /** An existing, empty folder for the results. It belongs to this job, and tools write in it. */
  folder: string;
  /** A local image that was uploaded as thumbnail; null without one. */
  thumbnail: string | null;
  resolutions: Size[];
  timelinePreview: boolean;
  /** Whether the video may be long. Its tools have the lowest priority then. */
  isBackground: boolean;
  tools: Tools;
  decode: Decode;
  signal: AbortSignal;
  /** From 0 to 1. */
  onProgress: (done: number) => void;
  /** Called when one size can be played and others follow. Its files can be moved away. */
  onPlayable: (playable: EncodedVideo) => Promise<void>;
};

export type EncodedVideo = Size & {
  /** Paths below the folder, without those that `onPlayable` got. The playlist to open comes last. */
  files: string[];
  entry: string;
  duration: number;
  poster?: string;
  previews?: string;
  thumbHash?: string;
  /** Sentences for the user on what of the video could not be read, or is left out. */
  loss?: string;
};

/**
 * Makes HLS of a local video. For several sizes it first encodes a small one with the sound and passes it
 * to `onPlayable`, then encodes the others in one run, with a master playlist of all finished sizes each
 * time. Returns the size of the largest rendition and the duration of its playlists in milliseconds, because
 * containers declare what they don't contain. Throws MediaFailure, or the signal's reason.
 */
export async function makeVideo(work: VideoWork): Promise<EncodedVideo> {
  const { folder, tools, decode, signal } = work;
  const { ffmpeg } = tools;
  const plan = await examine(work);
  const poster = await posterOf(work, plan);
  const runs = createEncodingRuns(plan.sizes);
  const [first = [], ...others] = runs;
  const [part = 1] = shares(runs, plan.probe);

  const { audioIndex } = plan.probe;
  const log = new DecodingLog();
  const onProgress = (fraction: number) => work.onProgress(fraction * part);
  const { played, stillSeconds } = await encodeAligned(folder, plan.probe, first, (run) =>
    encode(work, plan.probe, {
      ...plan,
      ...run,
      ...(!run.isRepeated && { onProgress, onLogLine: log.read }),
    }),
  );
  const firstRenditions = await packageSizes(folder, first, plan.rate);
  const sound = audioIndex === null ? null : await packageSound(folder);
  const about = { ...plan.size, duration: playlistMs(firstRenditions), ...poster };
  const loss = describeLoss(plan.probe, log, played);
  const renditions = [...firstRenditions];
  let files = [
    ...(poster ? [POSTER] : []),
    ...(sound?.files ?? []),
    ...firstRenditions.flatMap((rendition) => rendition.files),
  ];
  for (const sizes of others) {
    files.push(await writeMaster(folder, PARTIAL_PLAYLIST, renditions, sound));
    await work.onPlayable({ ...about, files, entry: PARTIAL_PLAYLIST });
    await encode(work, plan.probe, {
      ...{ ...plan, sizes, stillSeconds, audioIndex: null, soundSeconds: 0 },
      onProgress: (fraction) => work.onProgress(part + fraction * (1 - part)),
    });
    const rest = await packageSizes(folder, sizes, plan.rate);
    renditions.push(...rest);
    files = rest.flatMap((rendition) => rendition.files);
  }

  // This is the smallest rendition of the last run; the files of the first one have moved away.
  const smallest = renditions.at(-1);
  const withPreviews = work.timelinePreview && smallest !== undefined;
  if (withPreviews) {
    const keyFrames = smallest.variant.keyFrames.segments;
    files.push(
      ...(await makePreviews({ folder, size: smallest.size, keyFrames, ffmpeg, decode, signal })),
    );
  }
  files.push(await writeMaster(folder, MASTER_PLAYLIST, renditions, sound));
  return {
    ...about,
    ...(withPreviews && { previews: PREVIEWS }),
    ...(loss && { loss }),
    files,
    entry: MASTER_PLAYLIST,
  };
}

/** Returns the milliseconds that the playlists of pictures tell, which are equally long. Sound ends with them. */
function playlistMs([rendition]: Rendition[]): number {
  const segments = rendition?.variant.segments ?? [];
  return Math.round(segments.reduce((sum, { duration }) => sum + duration, 0) * SECOND);
}

type Plan = {
  probe: Probe;
  /** All sizes, largest first. */
  sizes: Size[];
  /** The largest size. */
  size: Size;
  rate: FrameRate;
  /** Options that select the decoder of the picture. */
  decoder: string[];
  /** Filters that make whole pictures of what the decoder returns. */
  filters: string[];
  hasZscale: boolean;
  canDropPackets: boolean;
};

async function examine(work: VideoWork): Promise<Plan> {
  const { source, folder, tools, signal, resolutions, isBackground } = work;
  const probe = await probeVideo(source, { ffprobe: tools.ffprobe, cwd: folder, signal });
  const sizes = renditionSizes(probe, resolutions);
  const { width, height } = sizes[0] ?? probe;
  const declared = { source: probe, sizes, durationMs: probe.durationMs };
  const declaredRate = encodingRate(probe.meanRate, probe.baseRate, probe.isInterlaced ?? false);
  for (const run of createEncodingRuns(sizes)) {
    checkVideoMemory({ source: probe, sizes: run }, toolMemory());
  }
  checkVideoWork({ ...declared, rate: declaredRate }, isBackground);
  const sampling = { source, folder, ffmpeg: tools.ffmpeg, isBackground, signal };
  const { filters: deinterlacing, isInterlaced } = await findDeinterlacing(probe, sampling);
  const rate = encodingRate(probe.meanRate, probe.baseRate, isInterlaced);
  const { decoder, filters: compositing } = await findCompositing(probe, tools.ffmpeg);
  const filters = [...compositing, ...deinterlacing, ...lasting(probe, rate)];
  const hasZscale = isHdr(probe.colours) && (await hasFilter(tools.ffmpeg, 'zscale'));
  const dropping = probe.audioIndex !== null && (await canDropPackets(tools.ffmpeg));
  const size = { width, height };
  return { probe, sizes, size, rate, decoder, filters, hasZscale, canDropPackets: dropping };
}

/** One frame gets a second one, because the muxer measures how long a frame lasts by the next one. */
function lasting({ durationMs }: Probe, rate: FrameRate): string[] {
  const frames = (durationMs / SECOND) * rateValue(rate);
  if (frames >= 1.5) return [];
  return [`fps=${rate.frames}/${rate.seconds}:start_time=0`, 'tpad=stop_mode=clone:stop=1'];
}

async function posterOf(work: VideoWork, plan: Plan) {
  const { source, folder, thumbnail, isBackground, decode, signal } = work;
  const { ffmpeg } = work.tools;
  const thumbHash = await makePoster({
    source,
    folder,
    thumbnail,
    ...plan,
    ffmpeg,
    isBackground,
    decode,
    signal,
  });
  return thumbHash ? { poster: POSTER, thumbHash } : undefined;
}

async function packageSizes(folder: string, sizes: Size[], rate: FrameRate): Promise<Rendition[]> {
  const renditions: Rendition[] = [];
  for (const size of sizes) renditions.push(await packageRendition(folder, size, rate));
  return renditions;
}
