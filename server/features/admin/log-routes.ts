import { Elysia } from 'elysia';
import { ExportQuery } from '../../contract/schemas/admin.ts';
import { textResponse } from '../../web/http/openapi-responses.ts';
import { detail } from './detail.ts';
import { type AdminRouteDeps, adminGuard } from './guard.ts';

const TYPES = { csv: 'text/csv; charset=utf-8', jsonl: 'application/jsonl; charset=utf-8' };

const exported = (summary: string) => ({
  detail: {
    ...detail(summary).detail,
    ...textResponse('One entry a line, newest first.', ...Object.values(TYPES)),
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
        ...exported('All of the audit log that the filters let through'),
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
        ...detail('Hide an entry of the audit log, which is itself logged', { 204: 'Hidden.' }),
      },
    );
}
