import { Elysia } from 'elysia';
import {
  AdminBucketPageAnswer,
  AdminUserPageAnswer,
  BucketsQuery,
  LogPageAnswer,
  LogsQuery,
  OverviewAnswer,
  OverviewQuery,
  UsersQuery,
} from '../../contract/schemas/admin.ts';
import { wantsPage } from '../../web/http/content-negotiation.ts';
import { detail } from './detail.ts';
import { type AdminRouteDeps, adminGuard } from './guard.ts';
import type { AdminPages } from './page.tsx';

// A Response passes by the schema of the call's answer.
const asPage = (page: Promise<Response>) => page as Promise<never>;

/**
 * Mounts the four paths that are both a page and a call: a browser's navigation gets HTML, any other
 * request JSON. The headers keep caches from mixing the two up, and from serving them to anybody else.
 */
export function adminRoutes({ accounts, admin, pages }: AdminRouteDeps & { pages: AdminPages }) {
  const both = { admin: 'call or page' } as const;

  return new Elysia()
    .use(adminGuard(accounts))
    .headers({ vary: 'Accept', 'cache-control': 'private, no-store' })
    .get(
      '/admin/overview',
      ({ request, query }) =>
        wantsPage(request) ? asPage(pages.overview(request)) : admin.overview(query),
      {
        ...both,
        query: OverviewQuery,
        response: OverviewAnswer,
        ...detail('Get daily values of the whole server; this month by default'),
      },
    )
    .get(
      '/admin/buckets',
      ({ request, query }) =>
        wantsPage(request) ? asPage(pages.buckets(request)) : admin.listBuckets(query),
      {
        ...both,
        query: BucketsQuery,
        response: AdminBucketPageAnswer,
        ...detail('List all buckets, newest first'),
      },
    )
    .get(
      '/admin/users',
      ({ request, query }) =>
        wantsPage(request) ? asPage(pages.users(request)) : admin.listUsers(query),
      {
        ...both,
        query: UsersQuery,
        response: AdminUserPageAnswer,
        ...detail('List users and unverified signups, newest first'),
      },
    )
    .get(
      '/admin/logs',
      ({ request, query }) =>
        wantsPage(request) ? asPage(pages.logs(request)) : admin.listLogs(query),
      {
        ...both,
        query: LogsQuery,
        response: LogPageAnswer,
        ...detail('List the audit log, newest first'),
      },
    );
}
