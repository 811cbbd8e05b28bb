import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../server/app.ts';
import { loadConfig } from '../../server/config/config.ts';
import { createLog } from '../../server/platform/log.ts';
import { openServices } from '../../server/services.ts';

export type Route = {
  method: string;
  path: string;
  /** Empty for a page, and for a call that is no part of the documented API. */
  summary: string;
  /** What a caller may authorise with, by the names of the OpenAPI document; empty where it says nothing. */
  auth: string[];
};

type Detail = { summary?: string; security?: Record<string, unknown>[] };

/** Every route that the app mounts, those of Bun's own for delivery included. Nothing is served. */
export async function readRoutes(): Promise<Route[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'wharf-routes-'));
  try {
    const config = loadConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
    const services = await openServices(config, {
      log: createLog(config.logLevel),
      mediaCommand: [],
    });
    try {
      const app = createApp(services);
      return [...nativeRoutes(app.config.serve?.routes ?? {}), ...app.routes.map(toRoute)];
    } finally {
      await services.close();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

const nativeRoutes = (routes: object): Route[] =>
  Object.entries(routes).flatMap(([path, handlers]) =>
    Object.keys(handlers).map((method) => ({ method, path, summary: '', auth: [] })),
  );

function toRoute({ method, path, hooks }: { method: string; path: string; hooks: object }): Route {
  const { summary = '', security = [] } = (hooks as { detail?: Detail }).detail ?? {};
  return { method, path, summary, auth: security.flatMap((one) => Object.keys(one)) };
}
