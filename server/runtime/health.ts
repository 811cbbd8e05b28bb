import { Elysia } from 'elysia';
import { SECOND } from '../contract/limits.ts';
import type { Usage } from '../features/usage/service.ts';
import type { Database } from '../platform/db/port.ts';
import type { ObjectStore } from '../platform/storage/port.ts';
import type { FfmpegBinaries } from './ffmpeg-binaries.ts';
import type { Role } from './roles.ts';

/** Load balancers don't wait longer either. */
const CHECK_TIMEOUT_MS = 5 * SECOND;
/** A check writes to the disk or to S3 and anybody can request it, so each check runs at most once a second. */
const RESULT_TTL_MS = SECOND;

type CheckStatus = 'ok' | 'failing';

/** Returns a check that fails after `timeoutMs` milliseconds, and whose result is reused for a second. */
function cachedCheck(check: () => Promise<unknown>, timeoutMs: number): () => Promise<CheckStatus> {
  let latest: Promise<CheckStatus> | null = null;
  const look = async (): Promise<CheckStatus> => {
    const { promise: timeout, resolve } = Promise.withResolvers<CheckStatus>();
    const clock = setTimeout(resolve, timeoutMs, 'failing');
    const result = check().then(
      () => 'ok' as const,
      () => 'failing' as const,
    );
    const status = await Promise.race([result, timeout]);
    clearTimeout(clock);
    return status;
  };
  return () => {
    latest ??= look().finally(() => {
      setTimeout(() => {
        latest = null;
      }, RESULT_TTL_MS).unref();
    });
    return latest;
  };
}

/**
 * Returns a function that answers at once with what `look` found the last time, or null before that, and looks
 * again meanwhile.
 */
function lastFound<Found>(look: () => Promise<Found>): () => Found | null {
  let found: Found | null = null;
  let isLooking = false;
  return () => {
    if (isLooking) return found;
    isLooking = true;
    const end = (latest: Found | null) => {
      found = latest;
      isLooking = false;
    };
    look().then(end, () => end(found));
    return found;
  };
}

const statusSchema = { type: 'string' as const, enum: ['ok', 'failing'] };
const protectionsSchema = {
  type: 'object' as const,
  additionalProperties: { type: 'boolean' as const },
};
const required = ['status', 'version', 'role', 'checks', 'mail', 'usage', 'confinement'];

/**
 * This schema is documentation only. Responses are not validated, because load balancers request them every
 * second.
 */
const healthResponse = (description: string) => ({
  description,
  content: {
    'application/json': {
      schema: {
        title: 'Health',
        type: 'object' as const,
        required,
        properties: {
          status: statusSchema,
          version: { type: 'string' as const },
          role: { type: 'string' as const, enum: ['all', 'web', 'media'] },
          checks: {
            type: 'object' as const,
            required: ['database', 'storage', 'ffmpeg'],
            properties: { database: statusSchema, storage: statusSchema, ffmpeg: statusSchema },
          },
          mail: {
            ...statusSchema,
            description:
              'Whether emails are sent. It does not change the status: files are delivered meanwhile.',
          },
          usage: {
            ...statusSchema,
            description:
              'Whether usage is added up. It does not change the status: what is not added up yet is in all totals.',
          },
          confinement: {
            type: 'object' as const,
            nullable: true,
            description: 'Null until it is known.',
            required: ['images', 'videos'],
            properties: { images: protectionsSchema, videos: protectionsSchema },
          },
        },
      },
    },
  },
});

const HEALTH_DETAIL = {
  operationId: 'getHealth',
  summary: 'Check the health of the server',
  tags: ['Server'],
  responses: {
    200: healthResponse('All checks pass.'),
    503: healthResponse('At least one check fails; see checks.'),
  },
};

/** What a health check looks at. */
type HealthServices = {
  database: Pick<Database, 'check'>;
  objects: Pick<ObjectStore, 'check'>;
  /** Whether the storage is the one that belongs to the database. */
  holdsFiles: () => Promise<boolean>;
  tools: () => FfmpegBinaries | null;
  /** Which protections confine what decodes images and videos on this system. */
  confinement: () => Promise<Record<'images' | 'videos', Record<string, boolean>>>;
  /** Why mails are not sent; null where nothing is known to be wrong. */
  mailFailure: () => Promise<string | null>;
  usage: Pick<Usage, 'requireFolding'>;
};

/** Returns a function that checks everything that this process needs, each at most once a second. */
export function createHealth(services: HealthServices, timeoutMs: number = CHECK_TIMEOUT_MS) {
  // Trying the protections takes as much processor time as the whole start, so no answer waits for it.
  const confinement = lastFound(services.confinement);
  const look = {
    database: cachedCheck(() => services.database.check(), timeoutMs),
    storage: cachedCheck(async () => {
      await services.objects.check();
      if (!(await services.holdsFiles()))
        throw new Error('the newest files are not in this storage');
    }, timeoutMs),
    ffmpeg: cachedCheck(async () => {
      if (!services.tools()) throw new Error('ffmpeg is missing');
    }, timeoutMs),
    mail: cachedCheck(async () => {
      if (await services.mailFailure()) throw new Error('mails are not sent');
    }, timeoutMs),
    usage: cachedCheck(() => services.usage.requireFolding(), timeoutMs),
  };
  return async () => {
    const [database, storage, ffmpeg, mail, usage] = await Promise.all([
      look.database(),
      look.storage(),
      look.ffmpeg(),
      look.mail(),
      look.usage(),
    ]);
    const checks = { database, storage, ffmpeg };
    return { checks, mail, usage, confinement: confinement() };
  };
}

/** `GET /health` answers 200 while everything that this process needs works, else 503 with what does not. */
export function healthRoutes(
  services: HealthServices & { version: string; role: Role },
  timeoutMs: number = CHECK_TIMEOUT_MS,
) {
  const check = createHealth(services, timeoutMs);

  return new Elysia().get(
    '/health',
    async ({ set }) => {
      const { checks, ...others } = await check();
      const healthy = Object.values(checks).every((result) => result === 'ok');
      set.status = healthy ? 200 : 503;
      set.headers['cache-control'] = 'no-store';
      return {
        status: healthy ? 'ok' : 'failing',
        version: services.version,
        role: services.role,
        checks,
        ...others,
      };
    },
    { detail: HEALTH_DETAIL },
  );
}
