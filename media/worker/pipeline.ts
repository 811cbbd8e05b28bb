import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isPermanent } from '../../server/contract/failure.ts';
import { SECOND } from '../../server/contract/limits.ts';
import {
  type FactsJob,
  type FileFacts,
  type ImageJob,
  type ImageTransformJob,
  type MediaJob,
  type MediaObject,
  type MediaResult,
  NO_FACTS,
  type ProbeJob,
  type ProbeResult,
  type ResultOf,
  type VideoJob,
} from '../../server/contract/media.ts';
import { retryWhileUnavailable } from '../../server/contract/retry-while-unavailable.ts';
import type { ObjectStore } from '../../server/platform/storage/port.ts';
import type { Decode } from '../decoder/tasks.ts';
import { convertAnimation, findForeignAnimation } from '../image/animation.ts';
import { convertBmp, isBmp } from '../image/bmp.ts';
import type { ConvertWork } from '../image/convert-image.ts';
import type { DecodedImage } from '../image/image-info.ts';
import { permanentFailure } from '../media-failure.ts';
import { sourceExcerpt } from '../mp4/mp4-index.ts';
import { chownToToolUser } from '../sandbox/ownership.ts';
import { ENCODERS } from '../transforms/encoders.ts';
import { probeAudioDuration } from '../video/audio-duration.ts';
import type { Tools } from '../video/encode.ts';
import { probeSize } from '../video/probe.ts';
import { type EncodedVideo, makeVideo } from '../video/video.ts';
import { makeWorkFolder } from '../work-folder.ts';
import type { PlaceKind } from './image-places.ts';
import { makeUpload } from './make-upload.ts';
import { fetchObject, fetchSources, publish } from './storage-transfer.ts';
import { type VideoTimes, watchVideo } from './watch-video.ts';

export type JobContext = VideoTimes & {
  objects: Pick<ObjectStore, 'open' | 'putFile'>;
  /** A local folder for intermediate files. */
  workDir: string;
  /** Called with whole per cents from 0 to 100, which only rise. */
  onProgress: (percent: number) => void;
  /** Called at most once, when the stored part of a video can be played. */
  onPlayable: (playable: MediaResult) => void;
  /** Called with the SHA-256 in hex of the upload. */
  onHash: (sha256: string) => void;
  /** Waits for a place to decode an image. `decode` gets a signal that stops it where it is too slow. */
  inTurn: <Value>(
    kind: PlaceKind,
    owner: string,
    decode: (stopped: AbortSignal) => Promise<Value>,
  ) => Promise<Value>;
  tools: Tools;
  decode: Decode;
  /** Milliseconds between attempts at storing a part of a video. */
  storageRetryIntervalMs?: number;
};

const NEVER = new AbortController().signal;
const STORAGE_RETRY_INTERVAL_MS = 5 * SECOND;
/** Encoding takes nearly all of a video's time; storing it takes the rest. */
const ENCODED_PERCENT = 98;

/**
 * Runs a job: fetches its source, makes the results and stores them below the job's prefix, each entry
 * after everything that it refers to. Leaves no local files, and a job that fails leaves nothing in the
 * store that its final entry would make visible. Throws MediaFailure, the signal's reason after an abort,
 * or what the store throws.
 */
export async function runJob<Job extends MediaJob>(
  job: Job,
  context: JobContext,
): Promise<ResultOf<Job>> {
  context.signal.throwIfAborted();
  const work = await makeWorkFolder(context.workDir);
  try {
    await mkdir(join(work.path, 'out'));
    return (await run(job, work.path, context)) as ResultOf<Job>;
  } finally {
    await work.remove();
  }
}

function run(job: MediaJob, work: string, context: JobContext) {
  switch (job.kind) {
    case 'image':
      return runImage(job, work, context);
    case 'transform':
      return runTransform(job, work, context);
    case 'video':
      return runVideo(job, work, context);
    case 'audio':
    case 'picture':
      return runFacts(job, work, context);
    case 'probe':
      return runProbe(job, work, context);
  }
}

async function runImage(job: ImageJob, work: string, context: JobContext): Promise<MediaResult> {
  const { objects, signal } = context;
  const source = join(work, 'source');
  context.onHash(await fetchSources(objects, [job.source], source, signal));
  const path = join(work, 'out', 'image');
  const { ffmpeg } = context.tools;
  const kind = job.isBackground ? 'background' : 'upload';
  const { ending, ...image } = await context.inTurn(kind, job.owner, (stopped) => {
    const limited = AbortSignal.any([signal, stopped]);
    const convert = { source, folder: work, ffmpeg, signal: limited };
    return makeUpload(convert, path, job.webp, context.decode);
  });
  const entry = `${job.baseName}.${ending}`;
  if (job.isExact) await takeUpload(objects, job.source, path, image);
  const stored = await publish(objects, job.prefix, [{ name: entry, path }], signal);
  return { ...image, entry, objects: stored };
}

/**
 * Replaces what was made of an upload by the upload itself, which the decoder has taken over. Throws a permanent
 * MediaFailure where browsers and transforms would not show it as it is.
 */
async function takeUpload(
  objects: JobContext['objects'],
  source: string,
  path: string,
  { isConverted, warning }: Pick<DecodedImage, 'isConverted' | 'warning'>,
): Promise<void> {
  if (isConverted || warning === 'damaged') {
    throw permanentFailure("This image can't be delivered without optimising it.");
  }
  await rm(path);
  await fetchObject(objects, source, path);
}

/**
 * Once it is decoded it finishes even if the client has left: the client may come back, and clients that only
 * come to leave should use up the file's limit.
 */
async function runTransform(
  job: ImageTransformJob,
  work: string,
  context: JobContext,
): Promise<MediaResult> {
  const { objects } = context;
  const source = join(work, 'source');
  const path = join(work, 'out', 'transform');
  await fetchObject(objects, job.source, source);
  const task = { kind: 'generate', transform: job.transform } as const;
  const kind = job.isBackground ? 'background' : 'generated';
  const { format, rotate, blur } = job.transform;
  const keepsAnimation = ENCODERS[format].isAnimated && rotate === 0 && blur === 0;
  const { ffmpeg } = context.tools;
  const { ending, ...image } = await context.inTurn(kind, job.owner, async (stopped) => {
    const convert = { source, folder: work, ffmpeg, signal: stopped };
    const readable = await toReadable(convert, keepsAnimation);
    return context.decode(task, { source: readable, result: path }, stopped);
  });
  const entry = `${job.baseName}.${ending}`;
  const stored = await publish(objects, job.prefix, [{ name: entry, path }], NEVER);
  return { ...image, entry, objects: stored };
}

/** Converts what the decoder can't read, or only the first frame of where all are needed, and returns what it is to read. */
async function toReadable(convert: ConvertWork, keepsAnimation: boolean): Promise<string> {
  const { source, ffmpeg } = convert;
  if (await isBmp(source)) return convertBmp(convert);
  const animation = keepsAnimation && (await findForeignAnimation(source, ffmpeg));
  return animation ? convertAnimation(convert, animation) : source;
}

/** Its results took hours, so they wait for a storage that is unavailable. */
async function runVideo(job: VideoJob, work: string, context: JobContext): Promise<MediaResult> {
  const { signal, tools } = context;
  const objects = patientStore(context);
  const folder = join(work, 'out');
  const source = join(work, 'source');
  context.onHash(await fetchSources(objects, job.sources, source, signal));
  const thumbnail = job.thumbnail ? join(work, 'thumbnail') : null;
  if (job.thumbnail && thumbnail) {
    await fetchSources(objects, [job.thumbnail], thumbnail, signal);
  }
  await chownToToolUser(work);
  const stored: MediaObject[] = [];
  const store = async ({ files, ...about }: EncodedVideo): Promise<MediaResult> => {
    const finished = files.map((name) => ({ name, path: join(folder, name) }));
    stored.push(...(await publish(objects, job.prefix, finished, signal)));
    return { ...about, objects: [...stored] };
  };
  const { resolutions, timelinePreview = false, isBackground = false } = job;
  const making = { source, folder, thumbnail, tools, resolutions, timelinePreview, isBackground };
  const onProgress = rising(context.onProgress);
  const video = await watchVideo(isBackground, context, ({ signal: watched, report, pause }) =>
    makeVideo({
      ...making,
      decode: context.decode,
      signal: watched,
      onProgress: (done) => {
        report(done);
        onProgress(done);
      },
      onPlayable: (playable) => pause(async () => context.onPlayable(await store(playable))),
    }),
  );
  return store(video);
}

/** Returns the store, which stores a file as soon as it is available, until the signal aborts. */
function patientStore({ objects, signal, storageRetryIntervalMs }: JobContext) {
  const intervalMs = storageRetryIntervalMs ?? STORAGE_RETRY_INTERVAL_MS;
  return {
    open: (key: string) => objects.open(key),
    putFile: (key: string, path: string) =>
      retryWhileUnavailable(() => objects.putFile(key, path), { signal, intervalMs }),
  };
}

async function runProbe(job: ProbeJob, work: string, context: JobContext): Promise<ProbeResult> {
  const { objects, signal, tools } = context;
  const head = join(work, 'head');
  await fetchSources(objects, [job.head], head, signal);
  const tail = job.tail === null ? null : join(work, 'tail');
  if (job.tail !== null && tail) await fetchSources(objects, [job.tail], tail, signal);
  const path = sourceExcerpt(head, tail, join(work, 'source'));
  if (path === null) return { size: null };
  await chownToToolUser(work);
  return { size: await probeSize(path, { ffprobe: tools.ffprobe, cwd: work, signal }) };
}

async function runFacts(job: FactsJob, work: string, context: JobContext): Promise<FileFacts> {
  const { objects, signal } = context;
  const source = join(work, 'source');
  try {
    await fetchSources(objects, [job.source], source, signal);
    return job.kind === 'audio'
      ? await readAudio(work, source, context)
      : await readPicture(job, work, source, context);
  } catch (error) {
    // The file is delivered as it is, so it is nobody's failure that it can't be read.
    if (isPermanent(error)) return NO_FACTS;
    throw error;
  }
}

async function readAudio(work: string, source: string, { signal, tools }: JobContext) {
  await chownToToolUser(work);
  const options = { ffprobe: tools.ffprobe, cwd: work, signal };
  return { ...NO_FACTS, duration: await probeAudioDuration(source, options) };
}

/**
 * Makes what would be delivered of an image, if it were processed, for its size and its placeholder. Nobody waits for
 * that, so that it runs behind what somebody waits for, however slow it is.
 */
function readPicture(
  { owner }: FactsJob,
  work: string,
  source: string,
  { signal, tools, inTurn, decode }: JobContext,
): Promise<FileFacts> {
  return inTurn('background', owner, async (stopped) => {
    const limited = AbortSignal.any([signal, stopped]);
    const convert = { source, folder: work, ffmpeg: tools.ffmpeg, signal: limited };
    const path = join(work, 'out', 'image');
    const { width, height, duration, thumbHash } = await makeUpload(convert, path, false, decode);
    return { width, height, duration, thumbHash: thumbHash ?? null };
  });
}

function rising(report: (percent: number) => void): (done: number) => void {
  let last = 0;
  return (done) => {
    const percent = Math.floor(done * ENCODED_PERCENT);
    if (percent <= last) return;
    last = percent;
    report(percent);
  };
}
