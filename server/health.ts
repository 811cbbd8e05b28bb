import { Elysia } from 'elysia';
import type { Database } from './platform/db/port.ts';
import type { ObjectStore } from './platform/objects/port.ts';
import type { Tools } from './tools.ts';

/** `GET /health`: 200 while everything this process needs answers, 503 with what doesn't otherwise. */
export function healthRoutes(services: {
  version: string;
  database: Database;
  objects: ObjectStore;
  tools: () => Tools | null;
  /** Which walls stand around ffmpeg on this system. */
  confinement: () => Promise<Record<string, boolean>>;
}) {
  const passes = async (check: () => Promise<unknown>) =>
    check().then(
      () => 'ok' as const,
      () => 'failing' as const,
    );

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
        checks,
        confinement,
      };
    },
    { detail: { summary: 'Whether everything the server needs answers', tags: ['Server'] } },
  );
}
