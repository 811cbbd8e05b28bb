import { Elysia } from 'elysia';
import { MediaClient } from '../../media/worker/client.ts';
import { withDiskReserve } from '../../server/adapters/media.ts';
import type { Platform } from '../../server/adapters/platform.ts';
import { renderError } from '../../server/errors.ts';
import { deliveryRoutes } from '../../server/features/delivery/routes.ts';
import { fileRoutes } from '../../server/features/files/routes.ts';
import { uploadRoutes } from '../../server/features/uploads/routes.ts';
import { createSystemAudit } from '../../server/platform/audit/record.ts';
import { ClockGuard } from '../../server/platform/clock-guard/clock-guard.ts';
import type { TimeSource } from '../../server/platform/clock-guard/time-source.ts';
import { openMemoryLimits } from '../../server/platform/limits/memory.ts';
import { createMailQueue } from '../../server/platform/mail/enqueue-mail.ts';
import { createCounts, instrumentStore } from '../../server/platform/metrics/counts.ts';
import { Queue } from '../../server/platform/queue/queue.ts';
import { createRegionRouter } from '../../server/platform/region-routing.ts';
import { deriveKeys } from '../../server/platform/secrets/secrets.ts';
import { DiskReserve } from '../../server/platform/storage/disk-reserve.ts';
import { toAppError } from '../../server/request-lifecycle.ts';
import { createServices, type Services } from '../../server/services.ts';
import { Life } from './life.ts';
import type { Shared } from './shared.ts';
import { startSimulatedMedia } from './simulated-media.ts';
import type { World } from './world.ts';

const NO_OP = () => {};

/** One server process from its start to its death: the services of the product on simulated ports. */
export class SimulatedProcess {
  readonly life: Life;
  readonly services: Services;
  private readonly app: { handle(request: Request): Promise<Response> };
  private readonly deliver: (request: Request) => Response | Promise<Response>;

  constructor(
    private readonly shared: Shared,
    name: string,
  ) {
    this.life = new Life(name);
    const platform = createPlatform(shared, this.life);
    this.services = createServices(shared.config, platform);
    this.app = createApi(this.services, (error) => shared.world.note(`${name} fails: ${error}`));
    const routes = deliveryRoutes({ ...this.services, appUrl: shared.config.appUrl });
    this.deliver = routes['/cdn/*'].GET;
  }

  /** Starts the background work as the product does. */
  start(): Promise<void> {
    return this.shared.world.act(this.life, () => void this.services.start().catch(NO_OP));
  }

  /** Returns the response to a request; null where the process dies before. */
  request(request: Request): Promise<Response | null> {
    const isDelivery = new URL(request.url).pathname.startsWith('/cdn/');
    const name = `request ${request.method} ${new URL(request.url).pathname}`;
    return this.attempt(name, async () =>
      isDelivery ? this.deliver(request) : this.app.handle(request),
    );
  }

  /** Does work in this process. Resolves with null where the process dies before its end. */
  attempt<Result>(name: string, work: () => Promise<Result>): Promise<Result | null> {
    const { promise, resolve, reject } = Promise.withResolvers<Result | null>();
    this.life.onDeath(() => resolve(null));
    void this.shared.world.call(this.life, name, () => void work().then(resolve, reject));
    return promise;
  }
}

function createApi(services: Services, onDefect: (error: unknown) => void) {
  // It would forget what it knows of handlers after some minutes of the world, which a later run would see.
  return new Elysia({ sucrose: { gcTime: null } })
    .onError(({ code, error }) => {
      const appError = toAppError(code, error);
      if (appError) return renderError(appError);
      onDefect((error as Error)?.stack ?? error);
      return new Response(String(error), { status: 500 });
    })
    .use(uploadRoutes(services))
    .use(fileRoutes(services));
}

/** The clock of the world is right: what passes at once has passed. */
const timeOf = (world: World): TimeSource => ({
  bootId: 'boot',
  uptime: () => world.now,
  synchronizedAt: () => world.now,
  databaseTime: async () => world.now,
});

function createPlatform(shared: Shared, life: Life): Platform {
  const { world, config } = shared;
  const clock = () => world.now;
  const onErrorOf = (text: string) => (error: unknown) =>
    world.note(`${life.name} ${text}: ${error}`);
  const database = shared.database.of(life);
  const events = shared.events.of(life, onErrorOf('event listener failed'));
  const counts = createCounts();
  const queue = new Queue({
    database,
    clock,
    events,
    onError: (error, job) => onErrorOf(`job ${job.kind} failed`)(error),
  });
  const keys = deriveKeys(config.appSecret);
  const diskReserve = new DiskReserve(0, async () => Number.POSITIVE_INFINITY);
  const start = startSimulatedMedia(world, shared.store, life);
  return {
    log: { info: NO_OP, warn: NO_OP, error: NO_OP, flush: NO_OP },
    clock,
    clockGuard: new ClockGuard({
      database,
      clock,
      time: timeOf(world),
      onChange: async () => {},
      onError: onErrorOf('checking the clock failed'),
    }),
    isOnlyProcess: false,
    releaseDataDir: NO_OP,
    database,
    migrated: [],
    audit: createSystemAudit({
      ...config,
      database,
      clock,
      onError: onErrorOf('writing the audit log failed'),
    }),
    counts,
    objects: instrumentStore(shared.store.of(life), counts),
    events,
    queue,
    keys,
    workDir: config.dataDir,
    diskReserve,
    ballast: null,
    media: withDiskReserve(new MediaClient({ command: [], start }), diskReserve),
    enqueueMail: createMailQueue(queue, { send: async () => {} }, keys, clock),
    regionRouter: createRegionRouter(config.cdnUrl, {}),
    linkRouter: createRegionRouter(config.links.cdnUrl, {}),
    limits: openMemoryLimits(),
    locks: shared.locks.of(life),
    onErrorOf,
  };
}
