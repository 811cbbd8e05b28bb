import { Elysia } from 'elysia';
import { adminBucketRoutes } from './bucket-routes.ts';
import type { AdminRouteDeps } from './guard.ts';
import { adminJobRoutes } from './job-routes.ts';
import { adminLogRoutes } from './log-routes.ts';
import { adminUserRoutes } from './user-routes.ts';

/** Mounts the admin's calls about single things. Their order is the order of the API reference. */
export function adminActionRoutes(deps: AdminRouteDeps) {
  return new Elysia()
    .use(adminBucketRoutes(deps))
    .use(adminUserRoutes(deps))
    .use(adminLogRoutes(deps))
    .use(adminJobRoutes(deps));
}
