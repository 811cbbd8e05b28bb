import { createLimiter } from '../../server/contract/limiter.ts';
import { SECOND } from '../../server/contract/limits.ts';
import type { MediaJob, MediaReply, MediaRequest } from '../../server/contract/media.ts';
import type { ObjectStore } from '../../server/platform/storage/port.ts';
import { DecoderPool, type DecoderPoolOptions } from '../decoder/decoder-pool.ts';
import { temporaryFailure, toMediaFailure } from '../media-failure.ts';
import { limitToolMemory } from '../sandbox/confine.ts';
import { dieWithParent } from '../sandbox/libc.ts';
import type { Tools } from '../video/encode.ts';
import { clearStaleFolders } from '../work-folder.ts';
import { END_SIGNALS } from './end-signals.ts';
import { ImagePlaces } from './image-places.ts';
import { runJob } from './pipeline.ts';

export type WorkerOptions = {
  objects: Pick<ObjectStore, 'open' | 'putFile'>;
  /** A local folder for intermediate files of this process. It is made where missing. */
  workDir: string;
  /** Videos at a time. ffmpeg uses all cores for one, so more only help on large machines. */
  concurrency?: number;
  tools?: Tools;
  /** Bytes that decoding one image may take; ffmpeg may take twice as many. Unlimited without it. */
  memoryBytes?: number;
  /** How to start decoders. */
  decoder: Omit<DecoderPoolOptions, 'workDir'>;
  /** Called with the error behind a failure, for the log, and with what users are told. */
  onError?: (error: unknown, reason: string) => void;
};

/**
 * Images run beside the videos, so that a photo never waits for a film. Generated images share these places,
 * because a small machine has the memory for two.
 */
const IMAGE_CONCURRENCY = 2;
/** Long videos run beside the others, one at a time. */
const BACKGROUND_CONCURRENCY = 1;
/** A client waits for the answer. */
const PROBE_CONCURRENCY = 2;
/** Each has a local copy of a whole file. */
const AUDIO_CONCURRENCY = 1;
/** The time to end the tools and clean up after the server has disconnected, or a signal. */
const SHUTDOWN_TIMEOUT_MS = 2 * SECOND;

/**
 * Runs the media process, which decodes nothing itself. It takes MediaRequests from its parent process (Bun
 * IPC, JSON), answers with MediaReplies, and ends when the parent disconnects or a signal asks it to. Resolves
 * when it listens and has sent 'ready'.
 */
export async function runWorker(options: WorkerOptions): Promise<void> {
  dieWithParent(process.ppid);
  if (options.memoryBytes !== undefined) limitToolMemory(2 * options.memoryBytes);
  const worker = new Worker(options);
  process.on('disconnect', () => void worker.shutDown().then(() => process.exit(0)));
  for (const signal of END_SIGNALS) {
    // The server sees the signal that ends the process, by which no job is the reason.
    process.once(
      signal,
      () => void worker.shutDown().then(() => process.kill(process.pid, signal)),
    );
  }
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
  private readonly images = new ImagePlaces(IMAGE_CONCURRENCY);
  private readonly probes = createLimiter(PROBE_CONCURRENCY);
  private readonly audio = createLimiter(AUDIO_CONCURRENCY);
  private readonly background = createLimiter(BACKGROUND_CONCURRENCY);
  private readonly videos: ReturnType<typeof createLimiter>;
  private readonly decoders: DecoderPool;
  private isEnding = false;

  constructor(options: WorkerOptions) {
    this.options = options;
    this.videos = createLimiter(options.concurrency ?? 1);
    const { workDir, memoryBytes } = options;
    this.decoders = new DecoderPool({
      ...options.decoder,
      workDir,
      ...(memoryBytes && { memoryBytes }),
    });
  }

  async run(id: string, job: MediaJob): Promise<void> {
    const abort = new AbortController();
    this.running.set(id, abort);
    try {
      const result = await this.runInTurn(id, job, abort.signal);
      reply({ type: 'done', id, result });
    } catch (error) {
      if (this.isEnding) return;
      const failure = abort.signal.aborted
        ? temporaryFailure('Processing was cancelled.')
        : toMediaFailure(error);
      const { message: reason, retry } = failure;
      if (failure.cause) this.options.onError?.(failure.cause, reason);
      reply({ type: 'failed', id, reason, retry });
    } finally {
      this.running.delete(id);
    }
  }

  cancel(id: string): void {
    this.running.get(id)?.abort(new Error('cancelled'));
  }

  /** Ends all jobs without a reply, so that they count as interrupted, and removes their folders. */
  async shutDown(): Promise<void> {
    this.isEnding = true;
    for (const abort of this.running.values()) abort.abort(new Error('The media process ends.'));
    for (let waited = 0; this.running.size > 0 && waited < SHUTDOWN_TIMEOUT_MS; waited += 20)
      await Bun.sleep(20);
    await this.decoders.stop();
  }

  private runInTurn(id: string, job: MediaJob, signal: AbortSignal) {
    const work = () => this.attempt(id, job, signal);
    // An image takes its place by itself, only while it is decoded.
    if (job.kind === 'transform' || job.kind === 'image' || job.kind === 'picture') return work();
    const isBackground = job.kind === 'video' && job.isBackground;
    const video = isBackground ? this.background : this.videos;
    const limiters = { video, audio: this.audio, probe: this.probes };
    return limiters[job.kind](work, signal);
  }

  private attempt(id: string, job: MediaJob, signal: AbortSignal) {
    const { objects, workDir } = this.options;
    const { tools = { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe' } } = this.options;
    return runJob(job, {
      objects,
      workDir,
      signal,
      tools,
      decode: this.decoders.decodeFor(job.kind === 'probe' ? '' : job.owner),
      onProgress: (percent) => reply({ type: 'progress', id, percent }),
      onPlayable: (result) => reply({ type: 'playable', id, result }),
      onHash: (sha256) => reply({ type: 'hashed', id, sha256 }),
      inTurn: (kind, owner, decode) => this.images.run({ kind, owner, signal }, decode),
      isAlone: () => this.running.size === 1,
    });
  }
}

function reply(message: MediaReply): void {
  if (process.connected) process.send?.(message);
}
