import { randomNumbers } from '../../server/features/usage/testing/model.ts';
import type { Life } from './life.ts';

const HISTORY_LENGTH = 400;
/** A call that has not ended after so many turns of the event loop waits for something outside of the world. */
const MAX_TURNS = 5000;
/** Streams pass on a piece of a body over several turns. */
const STREAM_TURNS = 10;
const MAX_STEP_MS = 10;

/** What can go wrong with a call: it fails before its effect, or its answer is lost. */
type Fault = 'before' | 'after' | null;
type Call = {
  life: Life;
  name: string;
  canFail: boolean;
  perform: (fault: Fault) => Promise<void>;
};
type Timer = { life: Life | null; at: number; every: number | null; run: () => void };

export type Faults = { before: number; after: number };
export const NO_FAULTS: Faults = { before: 0, after: 0 };

/**
 * A world with one clock and one source of randomness, in which nothing happens by itself. Each call of a
 * port waits until the world picks it, in any order, and decides whether it fails. So a seed determines
 * everything that happens.
 */
export class World {
  now: number;
  steps = 0;
  faults: Faults = NO_FAULTS;
  readonly random: () => number;
  /** The process whose code runs. */
  current: Life | null = null;
  private readonly waiting: Call[] = [];
  private readonly timers = new Set<Timer>();
  private readonly history: string[] = [];
  private hash = 0n;

  constructor(seed: number, startAt: number) {
    this.random = randomNumbers(seed);
    this.now = startAt;
  }

  chance(probability: number): boolean {
    return this.random() < probability;
  }

  /** Whether something that happens with this probability while there are faults happens now. */
  isFailing(probability: number): boolean {
    return this.faults !== NO_FAULTS && this.chance(probability);
  }

  /** Returns a whole number from 0 up to, but not including, `limit`. */
  below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  pick<Item>(items: readonly Item[]): Item | undefined {
    return items[this.below(items.length)];
  }

  /** Does `effect` when its turn comes. The promise of a process that dies before never settles. */
  call<Result>(
    life: Life,
    name: string,
    effect: () => Result | Promise<Result>,
    { lost = null }: { lost?: (() => Error) | null } = {},
  ): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const perform = async (fault: Fault) => {
      if (fault === 'before' && lost) return reject(lost());
      try {
        const result = await effect();
        if (fault === 'after' && lost) reject(lost());
        else resolve(result);
      } catch (error) {
        reject(error);
      }
    };
    this.waiting.push({ life, name, canFail: lost !== null, perform });
    return promise;
  }

  /** Calls `run` once `ms` have passed, and then again each time where it is an interval. */
  addTimer(run: () => void, ms: number, isInterval: boolean, life = this.current): Timer {
    const delay = Math.max(1, ms);
    const timer = { life, at: this.now + delay, every: isInterval ? delay : null, run };
    this.timers.add(timer);
    return timer;
  }

  removeTimer(timer: Timer): void {
    this.timers.delete(timer);
  }

  /** Whether a process has calls of a name that wait for their turn. */
  isWaiting(life: Life, name: string): boolean {
    return this.waiting.some((call) => call.life === life && call.name === name);
  }

  /** How many calls of running processes wait for their turn. */
  get backlog(): number {
    return this.waiting.filter(isRunnable).length;
  }

  /** Lets one call have its effect. Where none waits, time passes until the next timer, and it returns null. */
  async step(): Promise<{ life: Life; name: string } | null> {
    this.steps += 1;
    this.now += this.below(MAX_STEP_MS);
    this.bury();
    this.startDueTimers();
    const runnable = this.waiting.filter(isRunnable);
    const call = this.pick(runnable);
    if (!call) {
      this.passTime();
      return null;
    }
    this.waiting.splice(this.waiting.indexOf(call), 1);
    const fault = call.canFail ? this.drawFault() : null;
    this.note(`${call.life.name} ${call.name}${fault ? ` (${fault})` : ''}`);
    this.current = call.life;
    await this.untilDone(call.perform(fault), call.name);
    await turns(call.name.startsWith('network') ? STREAM_TURNS : 1);
    this.current = null;
    return call;
  }

  /** Runs what the test itself does in the name of a process, until that waits for a call. */
  async act<Result>(life: Life, work: () => Result): Promise<Result> {
    this.current = life;
    const result = work();
    await turns(1);
    this.current = null;
    return result;
  }

  /** Writes something into the history that is no call. */
  note(text: string): void {
    const line = `${this.steps} ${new Date(this.now).toISOString().slice(5, 23)} ${text}`;
    this.hash = Bun.hash.wyhash(line, this.hash);
    this.history.push(line);
    if (this.history.length > HISTORY_LENGTH) this.history.shift();
  }

  /** Returns the last steps, and a fingerprint of all of them. */
  get story(): { fingerprint: string; lines: string[] } {
    return { fingerprint: this.hash.toString(36), lines: this.history };
  }

  private drawFault(): Fault {
    const dice = this.random();
    if (dice < this.faults.before) return 'before';
    return dice < this.faults.before + this.faults.after ? 'after' : null;
  }

  private bury(): void {
    for (let at = this.waiting.length - 1; at >= 0; at -= 1)
      if (!this.waiting[at]?.life.isAlive) this.waiting.splice(at, 1);
    for (const timer of this.timers) if (timer.life?.isAlive === false) this.timers.delete(timer);
  }

  private startDueTimers(): void {
    for (const timer of this.timers) {
      if (timer.at > this.now || !timer.life || timer.life.isPaused) continue;
      if (timer.every === null) this.timers.delete(timer);
      else timer.at = this.now + timer.every;
      if (timer.life.isPunctual) timer.run();
      else void this.call(timer.life, 'timer', () => void timer.run());
    }
  }

  private passTime(): void {
    const times = [...this.timers].filter(({ life }) => life && !life.isPaused).map(({ at }) => at);
    if (times.length > 0) this.now = Math.max(this.now, Math.min(...times));
  }

  private async untilDone(work: Promise<void>, name: string): Promise<void> {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    work.then(done, done);
    for (let turn = 0; !isDone; turn += 1) {
      if (turn > MAX_TURNS) throw new Error(`${name} waits for something outside of the world`);
      await turns(1);
    }
  }
}

const isRunnable = ({ life }: Call) => life.isAlive && !life.isPaused;

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1)
    await new Promise<void>((resolve) => setImmediate(resolve));
}
