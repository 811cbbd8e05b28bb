import { Elysia } from 'elysia';
import type { Accounts } from '../accounts/service.ts';
import { detail } from './detail.ts';
import { adminGuard, wantsPage } from './guard.ts';
import type { AdminPages } from './page.tsx';
import {
  BucketPageAnswer,
  BucketsQuery,
  LogPageAnswer,
  LogsQuery,
  OverviewAnswer,
  OverviewQuery,
  UserPageAnswer,
  UsersQuery,
} from './schema.ts';
import type { Admin } from './service.ts';

/**
 * The four paths that are both a page and a call: HTML for a browser's navigation, JSON otherwise.
 * No cache may keep either for the other, nor for anybody else.
 */
export function adminRoutes({
  accounts,
  admin,
  pages,
}: {
  accounts: Accounts;
  admin: Admin;
  pages: AdminPages;
}) {
  const both = { admin: 'call or page' } as const;
  const headers = { vary: 'Accept', 'cache-control': 'private, no-store' };
  // A Response passes by the schema of the call's answer.
  const asPage = (page: Promise<Response>) => page as Promise<never>;

  return new Elysia({ prefix: '/admin' })
    .use(adminGuard(accounts))
    .headers(headers)
    .get(
      '/overview',
      ({ request, query }) =>
        wantsPage(request) ? asPage(pages.overview(request)) : admin.overview(query),
      {
        ...both,
        query: OverviewQuery,
        response: OverviewAnswer,
        ...detail('Daily values of the whole server, this month unless told otherwise'),
      },
    )
    .get(
      '/buckets',
      ({ request, query }) =>
        wantsPage(request) ? asPage(pages.buckets(request)) : admin.listBuckets(query),
      {
        ...both,
        query: BucketsQuery,
        response: BucketPageAnswer,
        ...detail('List all buckets, newest first'),
      },
    )
    .get(
      '/users',
      ({ request, query }) =>
        wantsPage(request) ? asPage(pages.users(request)) : admin.listUsers(query),
      {
        ...both,
        query: UsersQuery,
        response: UserPageAnswer,
        ...detail('List users, and signups that wait for their code, newest first'),
      },
    )
    .get(
      '/logs',
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
