import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  ImageJob,
  MadeObject,
  MediaJob,
  MediaResult,
  VideoJob,
} from '../server/contract/media.ts';
import type { ObjectStore } from '../server/platform/objects/port.ts';
import type { Tools } from './encode.ts';
import { fetchSources } from './fetch-sources.ts';
import { makeImage } from './image.ts';
import { handOver } from './ownership.ts';
import { publish } from './publish.ts';
import { type MadeVideo, makeVideo } from './video.ts';
import { makeWorkFolder } from './work-folder.ts';

export type JobContext = {
  objects: Pick<ObjectStore, 'open' | 'putFile'>;
  /** Local folder for intermediate files. */
  workDir: string;
  signal: AbortSignal;
  /** Whole per cent, 0 to 100, only ever rising. */
  onProgress: (percent: number) => void;
  /** A video can be played, with what is stored of it so far; at most once. */
  onPlayable: (early: MediaResult) => void;
  tools: Tools;
};

/** Encoding is nearly all of a video's time; storing it is the rest. */
const ENCODED_PERCENT = 98;

/**
 * Does a job from start to finish: fetches its source, makes what was asked for, stores it below
 * the job's prefix, each entry after all it refers to. Leaves nothing behind locally, and of a job
 * that fails nothing in the store that could be opened by its final entry. Throws MediaFailure,
 * the signal's reason after an abort, or what the store throws.
 */
export async function runJob(job: MediaJob, context: JobContext): Promise<MediaResult> {
  context.signal.throwIfAborted();
  const work = await makeWorkFolder(context.workDir);
  try {
    await mkdir(join(work, 'out'));
    return job.kind === 'image'
      ? await runImage(job, work, context)
      : await runVideo(job, work, context);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function runImage(job: ImageJob, work: string, context: JobContext): Promise<MediaResult> {
  const { objects, signal } = context;
  const source = join(work, 'source');
  await fetchSources(objects, [job.source], source, signal);
  const { path, ...image } = await makeImage({ ...job, source, folder: join(work, 'out') });
  const stored = await publish(objects, job.prefix, [{ name: image.entry, path }], signal);
  return { ...image, objects: stored };
}

async function runVideo(job: VideoJob, work: string, context: JobContext): Promise<MediaResult> {
  const { objects, signal, tools } = context;
  const folder = join(work, 'out');
  const source = join(work, 'source');
  await fetchSources(objects, job.sources, source, signal);
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

function rising(report: (percent: number) => void): (done: number) => void {
  let last = 0;
  return (done) => {
    const percent = Math.floor(done * ENCODED_PERCENT);
    if (percent <= last) return;
    last = percent;
    report(percent);
  };
}
