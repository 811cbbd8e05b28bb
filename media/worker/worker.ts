import { createLimiter } from '../../server/contract/limiter.ts';
import { MINUTE, SECOND } from '../../server/contract/limits.ts';
import type { MediaJob, MediaReply, MediaRequest } from '../../server/contract/media.ts';
import type { ObjectStore } from '../../server/platform/storage/port.ts';
import { permanentFailure, temporaryFailure, toMediaFailure } from '../media-failure.ts';
import { DERIVE_LIMIT } from '../transforms/derive.ts';
import type { Tools } from '../video/encode.ts';
import { clearStaleFolders } from '../work-folder.ts';
import { runJob } from './pipeline.ts';

export type WorkerOptions = {
  objects: Pick<ObjectStore, 'open' | 'putFile'>;
  /** Local folder, made where missing, for intermediate files of this program only. */
  workDir: string;
  /** Videos at a time. ffmpeg uses all processors for one, so more only helps on large machines. */
  concurrency?: number;
  tools?: Tools;
  /** Milliseconds for one image. */
  imageMs?: number;
  /** Milliseconds for one derivative. */
  deriveMs?: number;
};

/**
 * Beside the videos, so that a photo never waits for a film. Derivatives are among them, for the
 * memory of two is what a small machine has, but go first: somebody is looking at an empty place.
 */
const IMAGES_AT_ONCE = 2;
/** Somebody waits for the answer. */
const PROBES_AT_ONCE = 2;
/** To end the tools and tidy up after the server went away. */
const GRACE = 2 * SECOND;

/**
 * The media process: takes MediaRequests from the process that started it (Bun IPC, JSON), answers
 * with MediaReplies, exits when that one goes away. Resolves once it listens and has said 'ready'.
 */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const worker = new Worker(options);
  process.on('disconnect', () => void worker.hangUp());
  process.on('message', (request: MediaRequest) => {
    if (request.type === 'run') void worker.run(request.id, request.job);
    else worker.cancel(request.id);
  });
  await clearStaleFolders(options.workDir);
  reply({ type: 'ready' });
}

/** Runs jobs, as many at a time as each kind may have, and replies with what becomes of them. */
class Worker {
  private readonly options: WorkerOptions;
  private readonly running = new Map<string, AbortController>();
  private readonly images = createLimiter(IMAGES_AT_ONCE);
  private readonly probes = createLimiter(PROBES_AT_ONCE);
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
    if (this.stuck > 0 && (size === 0 || this.stuck >= IMAGES_AT_ONCE)) process.exit(1);
  }

  cancel(id: string): void {
    this.running.get(id)?.abort(new Error('cancelled'));
  }

  async hangUp(): Promise<void> {
    for (const abort of this.running.values())
      abort.abort(new Error('The server process has ended.'));
    for (let waited = 0; this.running.size > 0 && waited < GRACE; waited += 20) await Bun.sleep(20);
    process.exit(0);
  }

  private runInTurn(id: string, job: MediaJob, signal: AbortSignal) {
    const work = () => this.attempt(id, job, signal);
    // It takes its turn among the images by itself, so that storing its result holds up no other.
    if (job.kind === 'derive') return work();
    const limiters = { image: this.images, video: this.videos, probe: this.probes };
    return limiters[job.kind](work, signal);
  }

  private attempt(id: string, job: MediaJob, signal: AbortSignal) {
    const { objects, workDir, imageMs = 2 * MINUTE, deriveMs = DERIVE_LIMIT } = this.options;
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
      inTurn: (make) => this.images(() => inTime(make(), deriveMs, onMiss), signal, true),
    });
    return job.kind === 'image' ? inTime(work, imageMs, onMiss) : work;
  }
}

/**
 * libvips cannot be stopped within one large SVG filter, of which a small file may hold hundreds.
 * Such a job is given up, its thread left behind; the process ends as soon as it can be spared.
 */
async function inTime<Value>(work: Promise<Value>, ms: number, onMiss: () => void): Promise<Value> {
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
