import { MINUTE, SECOND } from '../../server/contract/limits.ts';
import { type DecoderOptions, DecoderProcess } from './decoder-process.ts';
import type { Decode, DecodedImage, DecodeTask } from './tasks.ts';

/** Milliseconds after which a decoder is killed within a task. A client waits for generated images. */
const TIMEOUTS_MS: Record<DecodeTask['kind'], number> = {
  image: 2 * MINUTE,
  generate: 30 * SECOND,
  poster: MINUTE,
  sheet: MINUTE,
};

export type DecoderPoolOptions = DecoderOptions & {
  timeoutsMs?: Partial<typeof TIMEOUTS_MS>;
  /** Milliseconds without a task after which a decoder ends. */
  idleMs?: number;
};

/**
 * Starts decoders when they are needed and keeps them for a while, because a start takes as long as a small
 * image. How many run at the same time is up to the callers.
 */
export class DecoderPool {
  private readonly free = new Map<DecoderProcess, Timer>();
  /** The ends of decoders that nobody else waits for. */
  private readonly ending = new Set<Promise<void>>();

  constructor(private readonly options: DecoderPoolOptions) {}

  /** Does a task in a decoder; see `Decode`. */
  readonly decode: Decode = async (task, files, signal): Promise<DecodedImage> => {
    signal.throwIfAborted();
    const decoder = this.takeFree() ?? (await DecoderProcess.start(this.options, signal));
    try {
      const timeoutMs = this.options.timeoutsMs?.[task.kind] ?? TIMEOUTS_MS[task.kind];
      return await decoder.run(task, files, { signal, timeoutMs });
    } finally {
      await this.giveBack(decoder);
    }
  };

  /**
   * Kills the free decoders. Those with a task end with it. Resolves when no free decoder has a process or a
   * folder left, also of those that were idle for too long just before.
   */
  async stop(): Promise<void> {
    for (const [decoder, clock] of this.free) {
      clearTimeout(clock);
      this.end(decoder);
    }
    this.free.clear();
    await Promise.all(this.ending);
  }

  private end(decoder: DecoderProcess): void {
    const ended = decoder.stop().finally(() => this.ending.delete(ended));
    this.ending.add(ended);
  }

  /** Returns the decoder that was used last, so that the others can end. */
  private takeFree(): DecoderProcess | null {
    for (const decoder of [...this.free.keys()].reverse()) {
      clearTimeout(this.free.get(decoder));
      this.free.delete(decoder);
      if (decoder.isAlive) return decoder;
      this.end(decoder);
    }
    return null;
  }

  private async giveBack(decoder: DecoderProcess): Promise<void> {
    if (!decoder.isAlive) return decoder.stop();
    await decoder.clear();
    const { idleMs = 10 * SECOND } = this.options;
    const end = () => {
      this.free.delete(decoder);
      this.end(decoder);
    };
    this.free.set(decoder, setTimeout(end, idleMs));
  }
}
