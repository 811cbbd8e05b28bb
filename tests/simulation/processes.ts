import { HOUR, SECOND } from '../../server/contract/limits.ts';
import type { KnownBucket } from './clients.ts';
import { ForeignDeaths } from './foreign-deaths.ts';
import type { KnownFile, Oracle } from './oracle.ts';
import type { Profile } from './profiles.ts';
import { addBytes, type Counts } from './sent-bytes.ts';
import type { Shared } from './shared.ts';
import { SimulatedProcess } from './simulated-process.ts';

const NAMES = ['A', 'B', 'C'];
/** A job is given up after five attempts, so no job loses more than these through what happens here. */
const MAX_LOST_ATTEMPTS = 3;
/** The same of the ten interruptions after which it is given up. */
const MAX_INTERRUPTIONS = 6;
/** A longer step is taken for a jump of the clock, after which leases are trusted for a while. */
export const TICK: number = 9 * SECOND;
/** How long a job waits before its next attempt, and how soon that time passes, at each step. */
const MAX_BACK_OFF_MS = 150 * SECOND;
const BACK_OFF_PROBABILITY = 0.1;
/** How many calls may wait, apart from one of each client, when time passes. */
const MAX_BACKLOG = 8;
/** How soon a process goes on that has lost the lease of a video, at each step. */
const RESUME_PROBABILITY = 0.01;

/** The processes of a world, and what happens to them: they are killed, stand still, and lose their media. */
export class Processes {
  private readonly processes: (SimulatedProcess | null)[] = [];
  private readonly restarts = new Map<number, number>();
  private readonly resumes = new Map<SimulatedProcess, number>();
  /** What each process has counted since its last start. */
  private readonly counts = new Map<SimulatedProcess, Counts>();
  private readonly foreignDeaths: ForeignDeaths;

  constructor(
    private readonly shared: Shared,
    private readonly oracle: Oracle,
    private readonly buckets: KnownBucket[],
    private readonly profile: Profile,
  ) {
    this.foreignDeaths = new ForeignDeaths(shared.world);
  }

  async startAll(): Promise<void> {
    for (const index of NAMES.keys()) await this.startProcess(index);
  }

  /** Returns a process that runs. */
  any(): SimulatedProcess {
    return this.shared.world.pick(this.running) as SimulatedProcess;
  }

  /** Lets something happen to them, or nothing. */
  async interfere(): Promise<void> {
    const { shared, profile, foreignDeaths } = this;
    const { world } = shared;
    await this.endInterference();
    this.passTime();
    if (world.chance(profile.stick)) this.stick();
    if (world.chance(profile.killMedia)) await this.killMedia();
    if (foreignDeaths.isOver && world.chance(profile.hunt)) foreignDeaths.choose(this.media);
    foreignDeaths.strike(this.media);
    if (world.chance(profile.pause)) await this.pause(this.any());
    if (world.chance(profile.pausePublisher)) await this.pause(world.pick(this.publishers));
    if (world.chance(profile.kill)) await this.kill();
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
  count(process: SimulatedProcess, file: KnownFile, bytes: number): void {
    const { sentBytes } = this.oracle;
    addBytes(sentBytes.sent, file, bytes);
    const lost: Counts = new Map();
    addBytes(this.counts.get(process) ?? lost, file, bytes);
    sentBytes.mayLose(lost);
  }

  private get running(): SimulatedProcess[] {
    return this.processes.filter((one) => one !== null);
  }

  private get media() {
    return this.running.flatMap(({ life }) => [...life.children]);
  }

  /** Those that have published a part of a video, or are about to do so. */
  private get publishers(): SimulatedProcess[] {
    const { world } = this.shared;
    const { publications } = this.oracle;
    return this.running.filter(
      ({ life }) =>
        !publications.isSucceeded(life) &&
        (publications.isPublisher(life) || world.isWaiting(life, 'message playable')),
    );
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
      const isSucceeded = this.oracle.publications.isSucceeded(process.life);
      if (at > world.steps && !(isSucceeded && world.chance(RESUME_PROBABILITY))) continue;
      this.resumes.delete(process);
      process.life.pause(false);
      world.note(`${process.life.name} resumes`);
    }
  }

  private passTime(): void {
    const { shared, profile, resumes } = this;
    const { world } = shared;
    // Not before the processes have done most of what the last tick has started.
    const hasCaughtUp = world.backlog < profile.maxClients + MAX_BACKLOG;
    if (hasCaughtUp && resumes.size > 0 && world.chance(profile.pauseTick)) world.now += TICK / 2;
    if (hasCaughtUp && resumes.size === 0 && world.chance(profile.tick)) world.now += TICK;
    if (hasCaughtUp && this.foreignDeaths.isWaiting && world.chance(BACK_OFF_PROBABILITY))
      world.now += world.below(MAX_BACK_OFF_MS);
    if (world.chance(profile.hop)) world.now += world.below(40 * SECOND);
    if (world.chance(profile.longHop)) world.now += world.below(2 * HOUR);
  }

  /** Kills a process, which starts again later. */
  private async kill(): Promise<void> {
    const { world } = this.shared;
    const index = world.below(NAMES.length);
    const process = this.processes[index];
    if (!process || this.running.length === 1 || (await this.hasWeakJobs())) return;
    world.note(`kill -9 ${process.life.name}`);
    process.life.die();
    this.oracle.sentBytes.mayLose(this.counts.get(process) ?? new Map());
    this.counts.delete(process);
    this.resumes.delete(process);
    this.processes[index] = null;
    this.restarts.set(index, world.steps + world.below(300));
  }

  /** Lets a process stand still, while its leases may run out. */
  private async pause(process: SimulatedProcess | undefined): Promise<void> {
    const { world } = this.shared;
    if (!process || this.resumes.size > 0 || (await this.hasWeakJobs())) return;
    world.note(`${process.life.name} stands still`);
    process.life.pause(true);
    this.resumes.set(process, world.steps + 300 + world.below(900));
  }

  private async killMedia(): Promise<void> {
    const { world } = this.shared;
    const child = world.pick(this.media);
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

  /** Whether a job has so few attempts left that it could be given up without a fault of its own. */
  private async hasWeakJobs(): Promise<boolean> {
    const row = await this.shared.database.direct.db
      .selectFrom('jobs')
      .select('id')
      .where('state', 'in', ['queued', 'running'])
      .where((job) =>
        job.or([
          job('attempts', '>=', MAX_LOST_ATTEMPTS),
          job('interruptions', '>=', MAX_INTERRUPTIONS),
        ]),
      )
      .executeTakeFirst();
    return row !== undefined;
  }
}
