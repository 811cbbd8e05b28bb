import { Elysia } from 'elysia';
import {
  AdminBucketPageResponse,
  AdminUserPageResponse,
  BucketsQuery,
  ExportQuery,
  LogPageResponse,
  LogsQuery,
  OperationsResponse,
  OverviewQuery,
  OverviewResponse,
  UsersQuery,
} from '../../contract/schemas/admin.ts';
import { wantsPage } from '../../web/http/content-negotiation.ts';
import { textResponse } from '../../web/http/openapi-responses.ts';
import { type AdminRouteDeps, adminGuard, detail } from './guard.ts';
import type { AdminPages } from './page.tsx';

const TYPES = { csv: 'text/csv; charset=utf-8', jsonl: 'application/jsonl; charset=utf-8' };

// Elysia sends a Response without checking it against the response schema of the call.
const asPage = (page: Promise<Response>) => page as Promise<never>;

const both = { admin: 'call or page' } as const;

type PageRouteDeps = AdminRouteDeps & { pages: AdminPages };

/**
 * Returns the five paths that are both a page and a call: a browser's navigation gets HTML, any
 * other request JSON.
 */
export const adminRoutes = (deps: PageRouteDeps) => [operationsRoute(deps), listRoutes(deps)];

/** Mounts the figures and the lists. */
function listRoutes({ accounts, admin, pages }: PageRouteDeps) {
  return new Elysia()
    .use(adminGuard(accounts))
    .get(
      '/admin/overview',
      ({ request, query }) =>
        wantsPage(request) ? asPage(pages.overview(request)) : admin.overview(query),
      {
        ...both,
        query: OverviewQuery,
        response: OverviewResponse,
        ...detail(
          'getAdminOverview',
          'Get daily values of the whole server; this month by default',
        ),
      },
    )
    .get(
      '/admin/buckets',
      ({ request, query }) =>
        wantsPage(request) ? asPage(pages.buckets(request)) : admin.listBuckets(query),
      {
        ...both,
        query: BucketsQuery,
        response: AdminBucketPageResponse,
        ...detail('listAllBuckets', 'List all buckets, newest first'),
      },
    )
    .get(
      '/admin/users',
      ({ request, query }) =>
        wantsPage(request) ? asPage(pages.users(request)) : admin.listUsers(query),
      {
        ...both,
        query: UsersQuery,
        response: AdminUserPageResponse,
        ...detail('listUsers', 'List users and unverified signups, newest first'),
      },
    )
    .get(
      '/admin/logs',
      ({ request, query }) =>
        wantsPage(request) ? asPage(pages.logs(request)) : admin.listLogs(query),
      {
        ...both,
        query: LogsQuery,
        response: LogPageResponse,
        ...detail('listAuditLog', 'List the audit log, newest first'),
      },
    );
}

/** Mounts how the server is doing. */
const operationsRoute = ({ accounts, admin, pages }: PageRouteDeps) =>
  new Elysia()
    .use(adminGuard(accounts))
    .get(
      '/admin/operations',
      ({ request }) =>
        wantsPage(request) ? asPage(pages.operations(request)) : admin.operations(),
      {
        ...both,
        response: OperationsResponse,
        ...detail('getOperations', 'Get how the server is doing, and what to do about it'),
      },
    );

const exported = (operationId: string, summary: string) => ({
  detail: {
    ...detail(operationId, summary).detail,
    ...textResponse('One entry per line, newest first.', ...Object.values(TYPES)),
  },
});

/** Mounts the calls that export the audit log and hide an entry of it. */
export function adminLogRoutes({ accounts, admin }: AdminRouteDeps) {
  return new Elysia()
    .use(adminGuard(accounts))
    .get(
      '/admin/logs/export',
      ({ query: { format, ...filters } }) =>
        new Response(admin.exportLogs(filters, format), {
          headers: {
            'content-type': TYPES[format],
            'content-disposition': `attachment; filename="audit-log.${format}"`,
          },
        }),
      {
        admin: 'call',
        query: ExportQuery,
        ...exported('exportAuditLog', 'Export the audit log, with filters'),
      },
    )
    .delete(
      '/admin/logs/:logID',
      async ({ admin: by, params, set }) => {
        await admin.actions.hideLog(by, params.logID);
        set.status = 204;
      },
      {
        admin: 'call',
        ...detail('hideAuditLogEntry', 'Hide an audit log entry; hiding it is logged too', {
          204: 'Hidden.',
        }),
      },
    );
}
