import { Elysia } from 'elysia';
import { ExportQuery } from '../../contract/schemas/admin.ts';
import { textResponse } from '../../web/http/openapi-responses.ts';
import { detail } from './detail.ts';
import { type AdminRouteDeps, adminGuard } from './guard.ts';

const TYPES = { csv: 'text/csv; charset=utf-8', jsonl: 'application/jsonl; charset=utf-8' };

const exported = (summary: string) => ({
  detail: {
    ...detail(summary).detail,
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
            'cache-control': 'private, no-store',
          },
        }),
      {
        admin: 'call',
        query: ExportQuery,
        ...exported('Export the audit log, with filters'),
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
        ...detail('Hide an audit log entry; hiding it is logged too', { 204: 'Hidden.' }),
      },
    );
}
