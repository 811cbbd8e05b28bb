import { HOUR, SECOND } from '../../server/contract/limits.ts';
import type { KnownBucket } from './clients.ts';
import type { Oracle } from './oracle.ts';
import { isWorkingOn, sourcesOf } from './simulated-media.ts';
import { type Shared, SimulatedProcess } from './simulated-process.ts';

const NAMES = ['A', 'B', 'C'];
const PROBABILITIES = {
  kill: 0.0008,
  killMedia: 0.001,
  pause: 0.001,
  tick: 0.015,
  hop: 0.002,
  longHop: 0.0002,
  stick: 0.0005,
  hunt: 0.003,
  shot: 0.15,
};
/** A job is given up after five attempts, so no job loses more than these through what happens here. */
const MAX_LOST_ATTEMPTS = 3;
/** More than a job has attempts. */
const MAX_FOREIGN_DEATHS = 7;
/** A longer step is taken for a jump of the clock, after which leases are trusted for a while. */
export const TICK: number = 9 * SECOND;

/** The processes of a world, and what happens to them: they are killed, stand still, and lose their media. */
export class Processes {
  private readonly processes: (SimulatedProcess | null)[] = [];
  private readonly restarts = new Map<number, number>();
  private readonly resumes = new Map<SimulatedProcess, number>();
  /** What each process has counted since its last start, by file. */
  private readonly counts = new Map<SimulatedProcess, Map<string, number>>();
  private victim = { source: '', left: 0 };

  constructor(
    private readonly shared: Shared,
    private readonly oracle: Oracle,
    private readonly buckets: KnownBucket[],
  ) {}

  async startAll(): Promise<void> {
    for (const index of NAMES.keys()) await this.startProcess(index);
  }

  /** Returns a process that runs. */
  any(): SimulatedProcess {
    const running = this.processes.filter((one) => one !== null);
    return this.shared.world.pick(running) as SimulatedProcess;
  }

  /** Lets something happen to them, or nothing. */
  async interfere(): Promise<void> {
    const { world } = this.shared;
    await this.endInterference();
    if (this.resumes.size > 0 && world.chance(PROBABILITIES.tick)) world.now += TICK / 2;
    if (world.chance(PROBABILITIES.stick)) this.stick();
    if (world.chance(PROBABILITIES.hop)) world.now += world.below(40 * SECOND);
    if (world.chance(PROBABILITIES.longHop)) world.now += world.below(2 * HOUR);
    if (world.chance(PROBABILITIES.killMedia)) await this.killMedia();
    if (world.chance(PROBABILITIES.hunt)) this.chooseVictim();
    this.hunt();
    if (world.chance(PROBABILITIES.pause)) await this.pause();
    if (world.chance(PROBABILITIES.kill)) await this.kill();
  }

  /** Lets all of them run. */
  async recover(): Promise<void> {
    for (const index of this.restarts.keys()) this.restarts.set(index, 0);
    for (const process of this.resumes.keys()) this.resumes.set(process, 0);
    await this.endInterference();
  }

  /** Notes that everything that they have counted is written. */
  forgetCounts(): void {
    for (const counts of this.counts.values()) counts.clear();
  }

  /** Notes bytes that a process has sent. */
  count(process: SimulatedProcess, fileId: string, bytes: number): void {
    this.oracle.count(fileId, bytes);
    const counts = this.counts.get(process);
    if (counts) counts.set(fileId, (counts.get(fileId) ?? 0) + bytes);
    else this.oracle.mayLose(new Map([[fileId, bytes]]));
  }

  private async startProcess(index: number): Promise<void> {
    const process = new SimulatedProcess(this.shared, `${NAMES[index]}${this.shared.world.steps}`);
    this.processes[index] = process;
    this.counts.set(process, new Map());
    await process.start();
  }

  private async endInterference(): Promise<void> {
    const { world } = this.shared;
    for (const [index, at] of this.restarts) {
      if (at > world.steps) continue;
      this.restarts.delete(index);
      await this.startProcess(index);
    }
    for (const [process, at] of this.resumes) {
      if (at > world.steps) continue;
      this.resumes.delete(process);
      process.life.pause(false);
      world.note(`${process.life.name} resumes`);
    }
  }

  /** Kills a process, which starts again later. */
  private async kill(): Promise<void> {
    const { world } = this.shared;
    const index = world.below(NAMES.length);
    const process = this.processes[index];
    const others = this.processes.filter((one) => one !== null && one !== process);
    if (!process || others.length === 0 || (await this.hasWeakJobs())) return;
    world.note(`kill -9 ${process.life.name}`);
    process.life.die();
    this.oracle.mayLose(this.counts.get(process) ?? new Map());
    this.counts.delete(process);
    this.resumes.delete(process);
    this.processes[index] = null;
    this.restarts.set(index, world.steps + world.below(300));
  }

  /** Lets a process stand still, while its leases may run out. */
  private async pause(): Promise<void> {
    const { world } = this.shared;
    const process = this.any();
    if (this.resumes.size > 0 || (await this.hasWeakJobs())) return;
    world.note(`${process.life.name} stands still`);
    process.life.pause(true);
    this.resumes.set(process, world.steps + 300 + world.below(900));
  }

  private async killMedia(): Promise<void> {
    const { world } = this.shared;
    const media = [...this.any().life.children];
    const child = world.pick(media);
    if (!child || (await this.hasWeakJobs())) return;
    world.note(`kill -9 ${child.name}`);
    child.die();
  }

  /** From now on, nothing of a bucket's files can be deleted in the storage. */
  private stick(): void {
    const { world, store } = this.shared;
    const bucket = world.pick(this.buckets);
    if (store.stuckFolder !== null || !bucket) return;
    store.stuckFolder = `f/${bucket.id}/`;
    world.note(`${store.stuckFolder} is stuck`);
  }

  /** Chooses an upload whose media process a service manager ends again and again. */
  private chooseVictim(): void {
    const { world } = this.shared;
    const source = world.pick([...this.any().life.children].flatMap(sourcesOf));
    if (source && this.victim.left === 0) this.victim = { source, left: MAX_FOREIGN_DEATHS };
  }

  /** Ends the media process of the victim, which is no fault of any upload. */
  private hunt(): void {
    const { world } = this.shared;
    if (this.victim.left === 0) return;
    // A job waits before its next attempt.
    if (this.resumes.size === 0 && world.chance(PROBABILITIES.shot / 3)) world.now += TICK;
    if (!world.chance(PROBABILITIES.shot)) return;
    for (const process of this.processes) {
      for (const media of process?.life.children ?? []) {
        if (!isWorkingOn(media, this.victim.source)) continue;
        world.note(`SIGTERM to ${media.name}`);
        media.die('SIGTERM');
        this.victim.left -= 1;
        return;
      }
    }
  }

  /** Whether a job has so few attempts left that it could be given up without a fault of its own. */
  private async hasWeakJobs(): Promise<boolean> {
    const row = await this.shared.database.direct.db
      .selectFrom('jobs')
      .select('id')
      .where('state', 'in', ['queued', 'running'])
      .where('attempts', '>=', MAX_LOST_ATTEMPTS)
      .executeTakeFirst();
    return row !== undefined;
  }
}
