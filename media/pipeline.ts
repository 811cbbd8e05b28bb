import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MediaJob, MediaResult } from '../server/contract/media.ts';
import type { ObjectStore } from '../server/platform/objects/port.ts';
import { fetchSources } from './fetch-sources.ts';
import { makeImage } from './image.ts';
import { type Finished, publish } from './publish.ts';
import { makeVideo, type Tools } from './video.ts';
import { makeWorkFolder } from './work-folder.ts';

export type JobContext = {
  objects: Pick<ObjectStore, 'open' | 'putFile'>;
  /** Local folder for intermediate files. */
  workDir: string;
  signal: AbortSignal;
  /** Whole per cent, 0 to 100, only ever rising. */
  onProgress: (percent: number) => void;
  tools: Tools;
};

/** Encoding is nearly all of a video's time; storing it is the rest. */
const ENCODED_PERCENT = 98;

/**
 * Does a job from start to finish: fetches its source, makes what was asked for, stores it below
 * the job's prefix, the entry last. Leaves nothing behind locally, and of a job that fails nothing
 * in the store that could be opened by its entry. Throws MediaFailure, the signal's reason after
 * an abort, or what the store throws.
 */
export async function runJob(job: MediaJob, context: JobContext): Promise<MediaResult> {
  const { objects, signal } = context;
  signal.throwIfAborted();
  const work = await makeWorkFolder(context.workDir);
  try {
    const source = join(work, 'source');
    const folder = join(work, 'out');
    await mkdir(folder);
    await fetchSources(objects, job.kind === 'image' ? [job.source] : job.sources, source, signal);
    const { files, ...result } = await make(job, source, folder, context);
    const made = await publish(objects, job.prefix, files, signal);
    return { ...result, objects: made };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function make(
  job: MediaJob,
  source: string,
  folder: string,
  context: JobContext,
): Promise<Omit<MediaResult, 'objects'> & { files: Finished[] }> {
  const { signal, tools } = context;
  if (job.kind === 'image') {
    const { path, ...image } = await makeImage({ ...job, source, folder });
    return { ...image, files: [{ name: image.entry, path }] };
  }
  const onProgress = rising(context.onProgress);
  const video = await makeVideo({ ...job, source, folder, tools, signal, onProgress });
  const files = video.files.map((name) => ({ name, path: join(folder, name) }));
  return { ...video, files };
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
