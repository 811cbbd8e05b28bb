import { SECOND } from '../../server/contract/limits.ts';
import { MASTER_PLAYLIST, PARTIAL_PLAYLIST, type Size } from '../../server/contract/media.ts';
import type { Decode } from '../decoder/tasks.ts';
import type { FrameRate } from '../hls/frame-rate.ts';
import { packageRendition, type Rendition, writeMaster } from '../hls/packaging.ts';
import { encodeAligned } from './aligned.ts';
import { DecodingLog, describeLoss } from './damage.ts';
import { createEncodingRuns, encode, shares, type Tools } from './encode.ts';
import { planVideo, type VideoPlan } from './plan.ts';
import { makePoster, POSTER } from './poster.ts';
import { makePreviews, PREVIEWS } from './previews.ts';
import { makeOtherSounds, packageMainSound } from './sounds.ts';

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
  const { folder } = work;
  const plan = await planVideo(work);
  const poster = await posterOf(work, plan);
  const runs = createEncodingRuns(plan.sizes);
  const [first = [], ...others] = runs;
  const [part = 1] = shares(runs, plan.probe);

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
  const sound = await packageMainSound(folder, plan.probe);
  const duration = playlistMs(firstRenditions);
  const about = { ...plan.size, duration, ...poster };
  const sounds = sound ? [sound] : [];
  const renditions = [...firstRenditions];
  let files = [
    ...(poster ? [POSTER] : []),
    ...(sound?.files ?? []),
    ...firstRenditions.flatMap((rendition) => rendition.files),
  ];
  for (const sizes of others) {
    files.push(await writeMaster(folder, PARTIAL_PLAYLIST, renditions, sounds));
    await work.onPlayable({ ...about, files, entry: PARTIAL_PLAYLIST });
    await encode(work, plan.probe, {
      ...{ ...plan, sizes, stillSeconds, audioIndex: null, soundSeconds: 0 },
      onProgress: (fraction) => work.onProgress(part + fraction * (1 - part)),
    });
    const rest = await packageSizes(folder, sizes, plan.rate);
    renditions.push(...rest);
    files = rest.flatMap((rendition) => rendition.files);
  }

  const other = await makeOtherSounds(folder, plan.probe, duration / SECOND, (run) =>
    encode(work, plan.probe, { ...plan, ...run }),
  );
  files.push(...other.sounds.flatMap((one) => one.files));
  const loss = [describeLoss(plan.probe, log, played), other.loss].filter(Boolean).join(' ');

  const previews = work.timelinePreview ? await previewsOf(work, renditions) : [];
  files.push(...previews);
  files.push(await writeMaster(folder, MASTER_PLAYLIST, renditions, [...sounds, ...other.sounds]));
  return {
    ...about,
    ...(previews.length > 0 && { previews: PREVIEWS }),
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

async function posterOf(work: VideoWork, plan: VideoPlan) {
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

/** Returns the files of the seek previews, made of the smallest rendition of the last run: others have moved away. */
async function previewsOf(work: VideoWork, renditions: Rendition[]): Promise<string[]> {
  const { folder, tools, decode, signal } = work;
  const smallest = renditions.at(-1);
  if (!smallest) return [];
  const { size, variant } = smallest;
  const keyFrames = variant.keyFrames.segments;
  return makePreviews({ folder, size, keyFrames, ffmpeg: tools.ffmpeg, decode, signal });
}

async function packageSizes(folder: string, sizes: Size[], rate: FrameRate): Promise<Rendition[]> {
  const renditions: Rendition[] = [];
  for (const size of sizes) renditions.push(await packageRendition(folder, size, rate));
  return renditions;
}
