import { createLimiter } from '../../server/contract/limiter.ts';
import { MINUTE, SECOND } from '../../server/contract/limits.ts';
import type { MediaJob, MediaReply, MediaRequest } from '../../server/contract/media.ts';
import type { ObjectStore } from '../../server/platform/storage/port.ts';
import { permanentFailure, temporaryFailure, toMediaFailure } from '../media-failure.ts';
import { GENERATE_TIMEOUT_MS } from '../transforms/generate-image.ts';
import type { Tools } from '../video/encode.ts';
import { clearStaleFolders } from '../work-folder.ts';
import { runJob } from './pipeline.ts';

export type WorkerOptions = {
  objects: Pick<ObjectStore, 'open' | 'putFile'>;
  /** A local folder for intermediate files of this process. It is made where missing. */
  workDir: string;
  /** Videos at a time. ffmpeg uses all cores for one, so more only help on large machines. */
  concurrency?: number;
  tools?: Tools;
  /** The timeout of an image in milliseconds. */
  imageMs?: number;
  /** The timeout of a generated image in milliseconds. */
  deriveMs?: number;
};

/**
 * Images run beside the videos, so that a photo never waits for a film. Generated images share these slots,
 * because a small machine has the memory for two, but go first: somebody is looking at an empty place on a
 * page.
 */
const IMAGE_CONCURRENCY = 2;
/** A client waits for the answer. */
const PROBE_CONCURRENCY = 2;
/** The time to end the tools and clean up after the server has disconnected. */
const SHUTDOWN_TIMEOUT_MS = 2 * SECOND;

/**
 * Runs the media process. It takes MediaRequests from its parent process (Bun IPC, JSON), answers with
 * MediaReplies, and exits when the parent disconnects. Resolves when it listens and has sent 'ready'.
 */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const worker = new Worker(options);
  process.on('disconnect', () => void worker.shutDown());
  process.on('message', (request: MediaRequest) => {
    if (request.type === 'run') void worker.run(request.id, request.job);
    else worker.cancel(request.id);
  });
  await clearStaleFolders(options.workDir);
  reply({ type: 'ready' });
}

/** Runs jobs, a limited number of each kind at the same time, and replies with their outcomes. */
class Worker {
  private readonly options: WorkerOptions;
  private readonly running = new Map<string, AbortController>();
  private readonly images = createLimiter(IMAGE_CONCURRENCY);
  private readonly probes = createLimiter(PROBE_CONCURRENCY);
  private readonly videos: ReturnType<typeof createLimiter>;
  /** Jobs that were given up while a thread still works on them. */
  private stuck = 0;

  constructor(options: WorkerOptions) {
    this.options = options;
    this.videos = createLimiter(options.concurrency ?? 1);
  }

  async run(id: string, job: MediaJob): Promise<void> {
    const abort = new AbortController();
    this.running.set(id, abort);
    try {
      const result = await this.runInTurn(id, job, abort.signal);
      reply({ type: 'done', id, result });
    } catch (error) {
      const failure = abort.signal.aborted
        ? temporaryFailure('Processing was cancelled.')
        : toMediaFailure(error);
      const { message: reason, retry } = failure;
      if (failure.cause) process.stderr.write(`media: ${reason} ${failure.cause}\n`);
      reply({ type: 'failed', id, reason, retry });
    } finally {
      this.running.delete(id);
    }
    const { size } = this.running;
    if (this.stuck > 0 && (size === 0 || this.stuck >= IMAGE_CONCURRENCY)) process.exit(1);
  }

  cancel(id: string): void {
    this.running.get(id)?.abort(new Error('cancelled'));
  }

  async shutDown(): Promise<void> {
    for (const abort of this.running.values())
      abort.abort(new Error('The server process has ended.'));
    for (let waited = 0; this.running.size > 0 && waited < SHUTDOWN_TIMEOUT_MS; waited += 20)
      await Bun.sleep(20);
    process.exit(0);
  }

  private runInTurn(id: string, job: MediaJob, signal: AbortSignal) {
    const work = () => this.attempt(id, job, signal);
    // A generated image takes its slot by itself, so that it is free again while the result is stored.
    if (job.kind === 'derive') return work();
    const limiters = { image: this.images, video: this.videos, probe: this.probes };
    return limiters[job.kind](work, signal);
  }

  private attempt(id: string, job: MediaJob, signal: AbortSignal) {
    const { objects, workDir, imageMs = 2 * MINUTE, deriveMs = GENERATE_TIMEOUT_MS } = this.options;
    const { tools = { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe' } } = this.options;
    const onMiss = () => {
      this.stuck += 1;
    };
    const work = runJob(job, {
      objects,
      workDir,
      signal,
      tools,
      onProgress: (percent) => reply({ type: 'progress', id, percent }),
      onPlayable: (result) => reply({ type: 'playable', id, result }),
      onHash: (sha256) => reply({ type: 'hashed', id, sha256 }),
      inTurn: (make) => this.images(() => withTimeout(make(), deriveMs, onMiss), signal, true),
    });
    return job.kind === 'image' ? withTimeout(work, imageMs, onMiss) : work;
  }
}

/**
 * Fails after a timeout. libvips can't be stopped within one large SVG filter, of which a small file can
 * contain hundreds. Such a job is given up while its thread still runs; the process ends as soon as no
 * other job needs it.
 */
async function withTimeout<Value>(
  work: Promise<Value>,
  ms: number,
  onMiss: () => void,
): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const clock = setTimeout(() => {
    onMiss();
    reject(permanentFailure('The image took too long to process.'));
  }, ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(clock);
    work.catch(() => {});
  }
}

function reply(message: MediaReply): void {
  if (process.connected) process.send?.(message);
}
