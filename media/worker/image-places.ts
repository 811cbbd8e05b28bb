import { SECOND } from '../../server/contract/limits.ts';
import { MediaFailure } from '../media-failure.ts';
import { ProcessorTime } from '../sandbox/processor-time.ts';
import { type Clocks, countTime } from './counted-time.ts';

/** What waits for a place: uploads, generated images, and what has shown to take long. */
export type PlaceKind = 'upload' | 'generated' | 'background';

export type PlaceRequest = {
  kind: PlaceKind;
  /** Whose work it is, such as an account. */
  owner: string;
  /** Ends the wait, but not work that has started. */
  signal: AbortSignal;
};

type Waiting = { owner: string; start: (running: Running) => void };
type Running = {
  kind: PlaceKind;
  owner: string;
  isSlow: boolean;
  stopping: AbortController;
};

/**
 * Most photos take less than a second. Somebody else's photo that waits for two slow ones is started so soon,
 * and a slow one loses no more work than this. It is time that counts: a machine that is busy with other work
 * would take each photo for a slow one.
 */
const SLOW_AFTER_MS = 2.5 * SECOND;
const CHECK_INTERVAL_MS = SECOND / 10;

export type PlaceTimes = {
  slowAfterMs?: number;
  /** Milliseconds between two looks at the time that work has had. */
  checkIntervalMs?: number;
  /** Returns what measures one work. */
  clocks?: () => Clocks;
};

/**
 * Shares places among kinds of work, which take turns, so that no kind waits without end behind another. Within
 * a kind, owners of whom nothing runs come first, so that nobody waits behind all that one owner has sent.
 * Nobody can tell beforehand how long an image takes, so that is watched: slow work keeps at most all places
 * but one while somebody else waits. The youngest slow work is stopped then, with the retry `background`, and
 * runs again as `background`, of which one runs at a time.
 */
export class ImagePlaces {
  private readonly lines = new Map<PlaceKind, Set<Waiting>>([
    ['upload', new Set()],
    ['generated', new Set()],
    ['background', new Set()],
  ]);
  /** In the order of their starts. */
  private readonly running = new Set<Running>();

  constructor(
    private readonly places: number,
    private readonly times: PlaceTimes = {},
  ) {}

  /**
   * Runs work in its turn. Work that waits when the signal is aborted is never started, and rejects with the
   * signal's reason at once. The signal that work gets is aborted with a MediaFailure where it is too slow.
   */
  async run<Value>(
    { kind, owner, signal }: PlaceRequest,
    work: (stopped: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    signal.throwIfAborted();
    const running = this.hasPlace(kind)
      ? this.take(kind, owner)
      : await this.waitInLine(kind, owner, signal);
    try {
      return await this.watch(running, () => work(running.stopping.signal));
    } finally {
      this.running.delete(running);
      this.startNext();
    }
  }

  /** Does work, and finds out whether it is slow. */
  private async watch<Value>(running: Running, work: () => Promise<Value>): Promise<Value> {
    const { slowAfterMs = SLOW_AFTER_MS, checkIntervalMs = CHECK_INTERVAL_MS } = this.times;
    const clocks = (this.times.clocks ?? newClocks)();
    const passed = countTime(clocks);
    let hadMs = 0;
    const checks = setInterval(() => {
      hadMs += passed();
      if (hadMs < slowAfterMs) return;
      clearInterval(checks);
      running.isSlow = true;
      this.stopSlow();
    }, checkIntervalMs);
    try {
      return await clocks.processorTime.measure(work);
    } finally {
      clearInterval(checks);
    }
  }

  private hasPlace(kind: PlaceKind): boolean {
    const isFree = this.running.size < this.places;
    return isFree && (kind !== 'background' || ![...this.running].some((one) => one.kind === kind));
  }

  private take(kind: PlaceKind, owner: string): Running {
    const isSlow = kind === 'background';
    const running = { kind, owner, isSlow, stopping: new AbortController() };
    this.running.add(running);
    return running;
  }

  private async waitInLine(kind: PlaceKind, owner: string, signal: AbortSignal): Promise<Running> {
    const { promise, resolve, reject } = Promise.withResolvers<Running>();
    const waiting = { owner, start: resolve };
    this.lines.get(kind)?.add(waiting);
    const leave = () => {
      this.lines.get(kind)?.delete(waiting);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave);
    this.stopSlow();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** Starts one of the next kind in turn, and puts that kind at the end. */
  private startNext(): void {
    for (const [kind, line] of this.lines) {
      const waiting = this.nextIn(line);
      if (!waiting || !this.hasPlace(kind)) continue;
      line.delete(waiting);
      this.lines.delete(kind);
      this.lines.set(kind, line);
      waiting.start(this.take(kind, waiting.owner));
    }
  }

  /** Returns what has waited longest of the owners with the least work that runs. */
  private nextIn(line: Set<Waiting>): Waiting | undefined {
    const count = ({ owner }: Waiting) =>
      [...this.running].filter((one) => one.owner === owner).length;
    const fewest = Math.min(...[...line].map(count));
    return [...line].find((waiting) => count(waiting) === fewest);
  }

  /** Where only slow work has the places and somebody else waits, stops the youngest of it. */
  private stopSlow(): void {
    const all = [...this.running];
    const isOverrun = all.length === this.places && all.every(({ isSlow }) => isSlow);
    if (!isOverrun || all.some(({ stopping }) => stopping.signal.aborted)) return;
    const owners = [...this.lines].flatMap(([kind, line]) =>
      kind === 'background' ? [] : [...line].map(({ owner }) => owner),
    );
    const youngest = all.findLast(
      ({ kind, owner }) => kind !== 'background' && owners.some((waiting) => waiting !== owner),
    );
    youngest?.stopping.abort(
      new MediaFailure('A slow image is processed in the background.', 'background'),
    );
  }
}

const newClocks = (): Clocks => ({
  monotonicClock: () => performance.now(),
  processorTime: new ProcessorTime(),
});
