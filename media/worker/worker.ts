import { createLimiter } from '../../server/contract/limiter.ts';
import { MINUTE, SECOND } from '../../server/contract/limits.ts';
import type {
  MediaJob,
  MediaReply,
  MediaRequest,
  MediaResult,
} from '../../server/contract/media.ts';
import type { ObjectStore } from '../../server/platform/storage/port.ts';
import { DERIVE_LIMIT } from '../transforms/derive.ts';
import type { Tools } from '../video/encode.ts';
import { permanentFailure, temporaryFailure } from './media-failure.ts';
import { runJob } from './pipeline.ts';
import { toMediaFailure } from './to-media-failure.ts';
import { clearStaleFolders } from './work-folder.ts';

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
  const { objects, workDir, concurrency = 1 } = options;
  const { imageMs = 2 * MINUTE, deriveMs = DERIVE_LIMIT } = options;
  const tools = options.tools ?? { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe' };
  const running = new Map<string, AbortController>();
  const images = createLimiter(IMAGES_AT_ONCE);
  const limits = {
    image: images,
    video: createLimiter(concurrency),
    probe: createLimiter(PROBES_AT_ONCE),
  };
  let stuck = 0;
  const onMiss = () => {
    stuck += 1;
  };

  function attempt(id: string, job: MediaJob, signal: AbortSignal) {
    const onProgress = (percent: number) => reply({ type: 'progress', id, percent });
    const onPlayable = (result: MediaResult) => reply({ type: 'playable', id, result });
    const onHash = (sha256: string) => reply({ type: 'hashed', id, sha256 });
    const inTurn = <Value>(make: () => Promise<Value>): Promise<Value> =>
      images(() => inTime(make(), deriveMs, onMiss), signal, true);
    const context = { objects, workDir, signal, onProgress, onPlayable, onHash, inTurn, tools };
    const work = runJob(job, context);
    return job.kind === 'image' ? inTime(work, imageMs, onMiss) : work;
  }

  async function run(id: string, job: MediaJob): Promise<void> {
    const abort = new AbortController();
    const { signal } = abort;
    running.set(id, abort);
    try {
      const work = () => attempt(id, job, signal);
      const result = await (job.kind === 'derive' ? work() : limits[job.kind](work, signal));
      reply({ type: 'done', id, result });
    } catch (error) {
      const failure = signal.aborted
        ? temporaryFailure('Processing was cancelled.')
        : toMediaFailure(error);
      const { reason, permanent } = failure;
      if (failure.cause) process.stderr.write(`media: ${reason} ${failure.cause}\n`);
      reply({ type: 'failed', id, reason, permanent });
    } finally {
      running.delete(id);
    }
    if (stuck > 0 && (running.size === 0 || stuck >= IMAGES_AT_ONCE)) process.exit(1);
  }

  async function hangUp(): Promise<void> {
    for (const abort of running.values()) abort.abort(new Error('The server is gone.'));
    for (let waited = 0; running.size > 0 && waited < GRACE; waited += 20) await Bun.sleep(20);
    process.exit(0);
  }

  process.on('disconnect', () => void hangUp());
  process.on('message', (request: MediaRequest) => {
    if (request.type === 'run') void run(request.id, request.job);
    else running.get(request.id)?.abort(new Error('cancelled'));
  });
  await clearStaleFolders(workDir);
  reply({ type: 'ready' });
}

/**
 * libvips cannot be stopped within one large SVG filter, of which a small file may hold hundreds.
 * Such a job is given up, its thread left behind; the process ends as soon as it can be spared.
 */
async function inTime<Value>(work: Promise<Value>, ms: number, onMiss: () => void): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const clock = setTimeout(() => {
    onMiss();
    reject(permanentFailure('The image takes too long to process.'));
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
