import { DAY, HOUR } from '../../server/contract/limits.ts';
import { loadLazyModules } from '../support/server/lazy-modules.ts';
import { BucketOwner, MAX_BUCKETS } from './bucket-owner.ts';
import { Clients, type KnownBucket } from './clients.ts';
import { FolderClients } from './folder-clients.ts';
import { replaceGlobals } from './globals.ts';
import { Oracle } from './oracle.ts';
import { Processes, TICK } from './processes.ts';
import { type Profile, profileOf } from './profiles.ts';
import { S3Clients } from './s3-clients.ts';
import { createShared, type Shared } from './shared.ts';
import { Visitor } from './visitor.ts';
import { NO_FAULTS, World } from './world.ts';

const START_AT = Date.parse('2026-03-01T22:00:00Z');
/** The part of the uploads that are images. */
const IMAGES = 0.6;
/** The part of the others that are not processed. */
const PLAIN_FILES = 0.3;
/** The part of the S3 clients that change a whole folder instead of an object. */
const FOLDERS = 0.2;
const STEPS_BETWEEN_CHECKS = 4000;
/** In this time every chore is done once, and the leases of dead processes run out. */
const MINUTE_OF_TICKS = Array.from({ length: 6 }, () => TICK);
/** How much time passes until everything that was begun must have ended. */
const SETTLING = [
  MINUTE_OF_TICKS,
  [2 * HOUR],
  MINUTE_OF_TICKS,
  [26 * HOUR],
  MINUTE_OF_TICKS,
  [2 * DAY],
  MINUTE_OF_TICKS,
].flat();
const MAX_SETTLING_STEPS = 50_000;

export type Outcome = {
  /** What was broken first; null where nothing was. */
  violation: string | null;
  /** The last steps before that. */
  history: string[];
  /** The same for each run of the same seed. */
  fingerprint: string;
};

/** Lets three processes work on one database and storage in which everything fails, for so many steps. */
export async function simulate(seed: number, steps: number): Promise<Outcome> {
  await loadLazyModules();
  const world = new World(seed, START_AT);
  const restore = replaceGlobals(world);
  try {
    const simulation = await Simulation.start(world, profileOf(seed));
    return await simulation.run(steps);
  } finally {
    restore();
  }
}

class Simulation {
  private readonly buckets: KnownBucket[] = [];
  private readonly processes: Processes;
  private readonly clients: Clients;
  private readonly s3Clients: S3Clients;
  private readonly folderClients: FolderClients;
  private readonly oracle: Oracle;
  private readonly owner: BucketOwner;
  private readonly visitor: Visitor;
  private running = 0;

  private constructor(
    private readonly shared: Shared,
    private readonly profile: Profile,
  ) {
    const { world, database, store } = shared;
    this.oracle = new Oracle(world, database.direct, store);
    this.processes = new Processes(shared, this.oracle, this.buckets, profile);
    this.owner = new BucketOwner(shared, this.processes, this.oracle, this.buckets);
    this.visitor = new Visitor(shared, this.processes, this.oracle, this.buckets);
    const shares = { world, oracle: this.oracle, process: () => this.processes.any() };
    this.clients = new Clients({ ...shares, profile, buckets: this.buckets });
    this.s3Clients = new S3Clients({ ...shares, key: () => this.owner.s3Key });
    this.folderClients = new FolderClients(shares);
  }

  static async start(world: World, profile: Profile): Promise<Simulation> {
    const simulation = new Simulation(await createShared(world), profile);
    await simulation.setUp();
    return simulation;
  }

  async run(steps: number): Promise<Outcome> {
    const { oracle, shared } = this;
    const { world } = shared;
    try {
      for (let step = 1; step <= steps && !oracle.violation; step += 1) {
        await this.interfere();
        // After a jump of the clock there are so many timers that there would be nothing else.
        while ((await this.step())?.name === 'timer');
        if (step % STEPS_BETWEEN_CHECKS === 0 || step === steps) await this.settle();
      }
    } catch (error) {
      oracle.fail(String((error as Error)?.stack ?? error));
    }
    shared.database.close();
    const { lines, fingerprint } = world.story;
    return { violation: oracle.violation?.message ?? null, history: lines, fingerprint };
  }

  private async setUp(): Promise<void> {
    await this.owner.signUp();
    await this.processes.startAll();
    await this.drive(this.owner.createS3Key());
    for (let count = 0; count < MAX_BUCKETS; count += 1)
      await this.drive(this.owner.createBucket());
    this.shared.world.faults = this.profile.faults;
  }

  private async step(): ReturnType<World['step']> {
    const call = await this.shared.world.step();
    if (call && /^(transaction|query (update|delete))/.test(call.name))
      await this.oracle.publications.check(call.life);
    return call;
  }

  /** Lets the world go on until some work of this test has ended. */
  private async drive<Result>(work: Promise<Result>): Promise<Result> {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    work.then(done, done);
    for (let step = 0; !isDone; step += 1) {
      if (step > MAX_SETTLING_STEPS) throw new Error('something does not end');
      await this.step();
    }
    return work;
  }

  private async interfere(): Promise<void> {
    const { profile } = this;
    const { world } = this.shared;
    await this.processes.interfere();
    if (this.running < profile.maxClients && world.chance(profile.client)) this.startClient();
    const visit = world.chance(profile.open) ? await this.visitor.plan() : null;
    if (visit) this.start(visit());
    if (world.chance(profile.deleteBucket)) this.start(this.owner.deleteBucket());
  }

  private start(work: Promise<void>): void {
    this.running += 1;
    const end = () => {
      this.running -= 1;
    };
    work.then(end, (error) => {
      end();
      this.oracle.fail(String((error as Error)?.stack ?? error));
    });
  }

  private startClient(): void {
    const { world } = this.shared;
    const bucket = world.pick(this.buckets.filter(({ isDeleting }) => !isDeleting));
    if (!bucket) return;
    const { profile } = this;
    const file = world.pick([...this.oracle.files.values()]);
    if (world.chance(profile.s3)) {
      const clients = world.chance(FOLDERS) ? this.folderClients : this.s3Clients;
      const plan = clients.plan(bucket);
      if (plan) this.start(plan());
    } else if (world.chance(profile.deletes)) {
      if (file) this.start(this.clients.deleteFile(file));
    } else if (world.chance(profile.copies)) {
      if (file) this.start(this.clients.copyFile(file));
    } else if (world.chance(IMAGES)) this.start(this.clients.uploadImage(bucket));
    else if (world.chance(PLAIN_FILES)) this.start(this.clients.uploadFile(bucket));
    else this.start(this.clients.uploadVideo(bucket));
  }

  /** Ends all faults, lets everything end that was begun, and checks all promises. */
  private async settle(): Promise<void> {
    const { world, store } = this.shared;
    world.faults = NO_FAULTS;
    await this.processes.recover();
    for (let step = 0; this.running > 0; step += 1) {
      if (step > MAX_SETTLING_STEPS) throw new Error('a client waits for ever');
      await this.step();
    }
    for (const ms of SETTLING) {
      world.now += ms;
      await this.untilQuiet();
    }
    await this.oracle.checkAll();
    this.processes.forgetCounts();
    store.stuckFolder = null;
    world.faults = this.profile.faults;
  }

  private async untilQuiet(): Promise<void> {
    const { world } = this.shared;
    let steps = 0;
    do {
      steps += 1;
      if (steps > MAX_SETTLING_STEPS) throw new Error('the processes never rest');
      await this.step();
    } while (world.backlog > 0);
  }
}
