import { loadConfig } from '../../server/config/config.ts';
import { DAY, HOUR } from '../../server/contract/limits.ts';
import { grantCredit } from '../../server/features/billing/service.ts';
import { newId } from '../../server/platform/ids.ts';
import { Clients, type KnownBucket } from './clients.ts';
import { replaceGlobals } from './globals.ts';
import { Oracle } from './oracle.ts';
import { Processes, TICK } from './processes.ts';
import { SimulatedDatabase } from './simulated-database.ts';
import { SimulatedEvents, SimulatedLocks } from './simulated-network.ts';
import type { Shared } from './simulated-process.ts';
import { SimulatedStore } from './simulated-store.ts';
import { NO_FAULTS, World } from './world.ts';

const START_AT = Date.parse('2026-03-01T22:00:00Z');
const FAULTS = { before: 0.015, after: 0.04 };
const MAX_CLIENTS = 12;
const MAX_BUCKETS = 3;
const STEPS_BETWEEN_CHECKS = 4000;
/** Enough that no bucket is suspended. */
const CREDIT = 1e12;
/** One byte costs one micro-USD, so that what is charged can be compared with what was used. */
const GIB_PRICE = '1073.741824';
const PROBABILITIES = { client: 0.3, open: 0.12, deleteBucket: 0.0003 };
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
  // These are loaded at their first use, which takes real time.
  await import('@fastify/busboy');
  await import('file-type');
  const world = new World(seed, START_AT);
  const restore = replaceGlobals(world);
  try {
    const simulation = await Simulation.start(world);
    return await simulation.run(steps);
  } finally {
    restore();
  }
}

class Simulation {
  private readonly buckets: KnownBucket[] = [];
  private readonly processes: Processes;
  private readonly clients: Clients;
  private readonly oracle: Oracle;
  /** The last known objects of files. */
  private readonly published = new Map<string, { entry: string; file_type: string }>();
  private running = 0;
  private userId = '';

  private constructor(private readonly shared: Shared) {
    const { world, database, store } = shared;
    this.oracle = new Oracle(world, database.direct, store);
    this.processes = new Processes(shared, this.oracle, this.buckets);
    this.clients = new Clients({
      world,
      oracle: this.oracle,
      buckets: this.buckets,
      process: () => this.processes.any(),
      hasHeard: (process) => shared.events.hasReached(process.life),
      onSent: (process, fileId, bytes) => this.processes.count(process, fileId, bytes),
    });
  }

  static async start(world: World): Promise<Simulation> {
    const config = loadConfig({
      DATA_DIR: '/nonexistent',
      APP_SECRET: 'of the simulation, and of nothing else',
      LOG_LEVEL: 'silent',
      PRICE_STORAGE: '0',
      PRICE_BANDWIDTH: GIB_PRICE,
      PRICE_UPLOAD: GIB_PRICE,
      DERIVATIVES_MAX_BYTES: '300',
    });
    const database = new SimulatedDatabase(world);
    await database.migrate();
    const shared: Shared = {
      world,
      config,
      database,
      store: new SimulatedStore(world),
      events: new SimulatedEvents(world, database),
      locks: new SimulatedLocks(world),
    };
    const simulation = new Simulation(shared);
    await simulation.setUp();
    return simulation;
  }

  async run(steps: number): Promise<Outcome> {
    const { oracle, shared } = this;
    const { world } = shared;
    try {
      for (let step = 1; step <= steps && !oracle.violation; step += 1) {
        await this.interfere();
        await this.step();
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
    const { world, database } = this.shared;
    const user = { email: 'ada@example.com', email_key: 'ada@example.com', password_hash: '' };
    this.userId = newId(world.now);
    await database.direct.db
      .insertInto('users')
      .values({ ...user, id: this.userId, status: 'active', created_at: world.now } as never)
      .execute();
    await database.direct.transaction((tx) =>
      grantCredit(
        tx,
        { userId: this.userId, amount: CREDIT, id: 'one', actor: 'system' },
        world.now,
      ),
    );
    await this.processes.startAll();
    for (let bucket = 0; bucket < MAX_BUCKETS; bucket += 1) await this.drive(this.createBucket());
    world.faults = FAULTS;
  }

  private async step(): Promise<void> {
    const call = await this.shared.world.step();
    if (call && /^(transaction|query (update|delete))/.test(call.name))
      await this.oracle.checkLeases(call.life);
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
    const { world } = this.shared;
    await this.processes.interfere();
    if (this.running < MAX_CLIENTS && world.chance(PROBABILITIES.client)) await this.startClient();
    if (world.chance(PROBABILITIES.open)) await this.openFile();
    if (world.chance(PROBABILITIES.deleteBucket)) this.start(this.deleteBucket());
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

  private async startClient(): Promise<void> {
    const { world } = this.shared;
    const bucket = world.pick(this.buckets.filter(({ isDeleting }) => !isDeleting));
    if (!bucket) return;
    const dice = world.random();
    if (dice < 0.4) return this.start(this.clients.uploadImage(bucket));
    if (dice < 0.7) return this.start(this.clients.uploadVideo(bucket));
    const file = world.pick([...this.oracle.files.values()]);
    if (!file) return;
    return this.start(this.clients.deleteFile(file));
  }

  /** Opens a file that is or was published. */
  private async openFile(): Promise<void> {
    const file = this.shared.world.pick([...this.oracle.files.values()]);
    if (!file) return;
    const row = await this.shared.database.direct.db
      .selectFrom('files')
      .selectAll()
      .where('id', '=', file.id)
      .executeTakeFirst();
    if (row?.status === 'success' && row.prefix && row.entry)
      this.published.set(file.id, { entry: row.entry, file_type: row.file_type });
    const published = this.published.get(file.id);
    if (published) this.start(this.clients.open(file, published));
  }

  private async createBucket(): Promise<void> {
    const process = this.processes.any();
    const { buckets } = process.services;
    const made = await process.attempt('create bucket', () =>
      buckets.create(this.userId, { name: 'Pictures' }),
    );
    const detail =
      made && (await process.attempt('read key', () => buckets.getWithKey(this.userId, made.id)));
    if (detail) this.buckets.push({ id: detail.id, key: detail.api_key, isDeleting: false });
  }

  /** Deletes a bucket, and creates another one. */
  private async deleteBucket(): Promise<void> {
    const { world } = this.shared;
    const bucket = world.pick(this.buckets.filter(({ isDeleting }) => !isDeleting));
    if (!bucket) return;
    bucket.isDeleting = true;
    for (const file of this.oracle.files.values())
      if (file.bucketId === bucket.id && file.state === 'live') file.state = 'deleting';
    for (;;) {
      const process = this.processes.any();
      const { buckets, database, queue } = process.services;
      const isStarted = await process
        .attempt('delete bucket', async () => {
          await database.transaction((tx) =>
            buckets.deletion.start(tx, bucket.id, { userId: this.userId }),
          );
          await buckets.publishChange(bucket.id);
          queue.wake('delete-bucket');
          return true;
        })
        .catch((error) => error?.status === 409);
      if (isStarted) break;
    }
    while (this.buckets.filter(({ isDeleting }) => !isDeleting).length < MAX_BUCKETS)
      await this.createBucket().catch(() => {});
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
    world.faults = FAULTS;
  }

  private async untilQuiet(): Promise<void> {
    const { world } = this.shared;
    let steps = 0;
    do {
      steps += 1;
      if (steps > MAX_SETTLING_STEPS) throw new Error('the processes never rest');
      await this.step();
    } while (world.isBusy);
  }
}
