import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  DeriveJob,
  ImageJob,
  MadeObject,
  MediaJob,
  MediaResult,
  ProbeJob,
  ProbeResult,
  ResultOf,
  VideoJob,
} from '../../server/contract/media.ts';
import type { ObjectStore } from '../../server/platform/storage/port.ts';
import { makeImage } from '../image/image.ts';
import { sourceExcerpt } from '../mp4/mp4-index.ts';
import { handOver } from '../sandbox/ownership.ts';
import { makeDerivative } from '../transforms/derive.ts';
import type { Tools } from '../video/encode.ts';
import { probeSize } from '../video/probe.ts';
import { type MadeVideo, makeVideo } from '../video/video.ts';
import { makeWorkFolder } from '../work-folder.ts';
import { fetchSources, fetchWhole, publish } from './storage-transfer.ts';

export type JobContext = {
  objects: Pick<ObjectStore, 'open' | 'putFile'>;
  /** Local folder for intermediate files. */
  workDir: string;
  signal: AbortSignal;
  /** Whole per cent, 0 to 100, only ever rising. */
  onProgress: (percent: number) => void;
  /** A video can be played, with what is stored of it so far; at most once. */
  onPlayable: (early: MediaResult) => void;
  /** The SHA-256, in hex, of what was uploaded. */
  onHash: (sha256: string) => void;
  /** Waits for a place among the images that are made at a time, before uploads that wait for one. */
  inTurn: <Value>(make: () => Promise<Value>) => Promise<Value>;
  tools: Tools;
};

const NEVER = new AbortController().signal;
/** Encoding is nearly all of a video's time; storing it is the rest. */
const ENCODED_PERCENT = 98;

/**
 * Does a job from start to finish: fetches its source, makes what was asked for, stores it below
 * the job's prefix, each entry after all it refers to. Leaves nothing behind locally, and of a job
 * that fails nothing in the store that could be opened by its final entry. Throws MediaFailure,
 * the signal's reason after an abort, or what the store throws.
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
    case 'derive':
      return runDerive(job, work, context);
    case 'video':
      return runVideo(job, work, context);
    case 'probe':
      return runProbe(job, work, context);
  }
}

async function runImage(job: ImageJob, work: string, context: JobContext): Promise<MediaResult> {
  const { objects, signal } = context;
  const source = join(work, 'source');
  context.onHash(await fetchSources(objects, [job.source], source, signal));
  const { path, ...image } = await makeImage({ ...job, source, folder: join(work, 'out') });
  const stored = await publish(objects, job.prefix, [{ name: image.entry, path }], signal);
  return { ...image, objects: stored };
}

/**
 * Waits for its turn before it takes up anything but a folder. Once that has come, it is worth
 * keeping even if whoever asked has left: they may come again, and who only comes to leave should
 * use up what a file is allowed. Storing waits for the disk, while others have their turn.
 */
async function runDerive(job: DeriveJob, work: string, context: JobContext): Promise<MediaResult> {
  const { objects } = context;
  const source = join(work, 'source');
  const path = join(work, 'out', 'derivative');
  const { ending, ...made } = await context.inTurn(async () => {
    await fetchWhole(objects, job.source, source);
    return makeDerivative(source, path, job.transform);
  });
  const entry = `${job.baseName}.${ending}`;
  const stored = await publish(objects, job.prefix, [{ name: entry, path }], NEVER);
  return { ...made, entry, objects: stored };
}

async function runVideo(job: VideoJob, work: string, context: JobContext): Promise<MediaResult> {
  const { objects, signal, tools } = context;
  const folder = join(work, 'out');
  const source = join(work, 'source');
  context.onHash(await fetchSources(objects, job.sources, source, signal));
  const thumbnail = job.thumbnail ? join(work, 'thumbnail') : null;
  if (job.thumbnail && thumbnail) {
    await fetchSources(objects, [job.thumbnail], thumbnail, signal);
  }
  await handOver(work);
  const stored: MadeObject[] = [];
  const store = async ({ files, ...about }: MadeVideo): Promise<MediaResult> => {
    const finished = files.map((name) => ({ name, path: join(folder, name) }));
    stored.push(...(await publish(objects, job.prefix, finished, signal)));
    return { ...about, objects: [...stored] };
  };
  const made = await makeVideo({
    source,
    folder,
    thumbnail,
    resolutions: job.resolutions,
    timelinePreview: job.timelinePreview ?? false,
    tools,
    signal,
    onProgress: rising(context.onProgress),
    onPlayable: async (early) => context.onPlayable(await store(early)),
  });
  return store(made);
}

async function runProbe(job: ProbeJob, work: string, context: JobContext): Promise<ProbeResult> {
  const { objects, signal, tools } = context;
  const head = join(work, 'head');
  await fetchSources(objects, [job.head], head, signal);
  const tail = job.tail === null ? null : join(work, 'tail');
  if (job.tail !== null && tail) await fetchSources(objects, [job.tail], tail, signal);
  const path = sourceExcerpt(head, tail, join(work, 'source'));
  if (path === null) return { size: null };
  await handOver(work);
  return { size: await probeSize(path, { ffprobe: tools.ffprobe, cwd: work, signal }) };
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
