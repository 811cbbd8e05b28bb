import { MINUTE, SECOND } from '../../server/contract/limits.ts';
import type { DecodedImage } from '../image/image-info.ts';
import { type DecoderOptions, DecoderProcess } from './decoder-process.ts';
import type { Decode, DecodeTask } from './tasks.ts';

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

/** A decoder without a task. Without an owner it has not decoded anything yet. */
type Free = { owner: string | null; clock: Timer };

/**
 * Starts decoders when they are needed and keeps them for a while, because a start takes as long as a small
 * image. A decoder serves one owner only: a damaged image could show what memory contains. How many run at the
 * same time is up to the callers.
 */
export class DecoderPool {
  /** In the order in which they became free. */
  private readonly free = new Map<DecoderProcess, Free>();
  /** The starts and ends of decoders that nobody else waits for. */
  private readonly pending = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private lastOwner: string | null = null;
  /** The start of a decoder for the next owner. */
  private reserving: Promise<void> | null = null;

  constructor(private readonly options: DecoderPoolOptions) {}

  /** Returns the function that decodes an owner's images; see `Decode`. */
  decodeFor(owner: string): Decode {
    return async (task, files, signal): Promise<DecodedImage> => {
      signal.throwIfAborted();
      const decoder = await this.take(owner, signal);
      try {
        const timeoutMs = this.options.timeoutsMs?.[task.kind] ?? TIMEOUTS_MS[task.kind];
        return await decoder.run(task, files, { signal, timeoutMs });
      } finally {
        await this.giveBack(decoder, owner);
      }
    };
  }

  /**
   * Kills the free decoders. Those with a task end with it. Resolves when no free decoder has a process or a
   * folder left, also of those that were idle for too long just before.
   */
  async stop(): Promise<void> {
    this.stopping.abort();
    for (const decoder of this.free.keys()) this.end(decoder);
    await Promise.all(this.pending);
  }

  private async take(owner: string, signal: AbortSignal): Promise<DecoderProcess> {
    const isAlternating = this.lastOwner !== null && this.lastOwner !== owner;
    this.lastOwner = owner;
    const own = this.takeFree(owner);
    if (own) return own;
    await this.reserving;
    const unused = this.takeFree(null);
    if (isAlternating) this.replace();
    return unused ?? DecoderProcess.start(this.options, signal);
  }

  /**
   * Where owners alternate, ends the decoder that nobody has used for longest, so that there are never more
   * than tasks at the same time, and starts one for the next owner.
   */
  private replace(): void {
    const [oldest] = [...this.free].find(([, { owner }]) => owner !== null) ?? [];
    if (oldest) this.end(oldest);
    if (this.reserving) return;
    this.reserving = DecoderProcess.start(this.options, this.stopping.signal)
      .then(
        (decoder) => this.keep(decoder, null),
        // The next task that needs a decoder starts one, and gets the failure.
        () => {},
      )
      .finally(() => {
        this.reserving = null;
      });
    this.wait(this.reserving);
  }

  /** Returns the decoder of an owner that was used last, so that the others can end. */
  private takeFree(owner: string | null): DecoderProcess | null {
    const [decoder, one] = [...this.free].findLast(([, free]) => free.owner === owner) ?? [];
    if (!decoder) return null;
    if (!decoder.isAlive) {
      this.end(decoder);
      return this.takeFree(owner);
    }
    clearTimeout(one?.clock);
    this.free.delete(decoder);
    return decoder;
  }

  private async giveBack(decoder: DecoderProcess, owner: string): Promise<void> {
    if (!decoder.isAlive) return decoder.stop();
    await decoder.clear();
    this.keep(decoder, owner);
  }

  private keep(decoder: DecoderProcess, owner: string | null): void {
    const { idleMs = 10 * SECOND } = this.options;
    this.free.set(decoder, { owner, clock: setTimeout(() => this.end(decoder), idleMs) });
  }

  private end(decoder: DecoderProcess): void {
    clearTimeout(this.free.get(decoder)?.clock);
    this.free.delete(decoder);
    this.wait(decoder.stop());
  }

  private wait(work: Promise<void>): void {
    const done = work.finally(() => this.pending.delete(done));
    this.pending.add(done);
  }
}
