import { Elysia } from 'elysia';
import { SECOND } from './contract/limits.ts';
import type { Database } from './platform/db/port.ts';
import type { ObjectStore } from './platform/objects/port.ts';
import type { Role } from './roles.ts';
import type { Tools } from './tools.ts';

/** Who asks, such as a load balancer, does not wait longer either. */
const PATIENCE = 5 * SECOND;

/** `GET /health`: 200 while everything this process needs answers, 503 with what doesn't otherwise. */
export function healthRoutes(services: {
  version: string;
  role: Role;
  database: Database;
  objects: ObjectStore;
  tools: () => Tools | null;
  /** Which walls stand around ffmpeg on this system. */
  confinement: () => Promise<Record<string, boolean>>;
}) {
  const passes = async (check: () => Promise<unknown>) =>
    Promise.race([
      check().then(
        () => 'ok' as const,
        () => 'failing' as const,
      ),
      Bun.sleep(PATIENCE).then(() => 'failing' as const),
    ]);

  return new Elysia().get(
    '/health',
    async ({ set }) => {
      const [database, storage, ffmpeg, confinement] = await Promise.all([
        passes(() => services.database.check()),
        passes(() => services.objects.check()),
        passes(async () => {
          if (!services.tools()) throw new Error('ffmpeg is missing');
        }),
        services.confinement(),
      ]);
      const checks = { database, storage, ffmpeg };
      const healthy = Object.values(checks).every((result) => result === 'ok');
      set.status = healthy ? 200 : 503;
      set.headers['cache-control'] = 'no-store';
      return {
        status: healthy ? 'ok' : 'failing',
        version: services.version,
        role: services.role,
        checks,
        confinement,
      };
    },
    { detail: { summary: 'Whether everything the server needs answers', tags: ['Server'] } },
  );
}
