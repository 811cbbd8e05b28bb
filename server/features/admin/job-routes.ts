import { Elysia, t } from 'elysia';
import { JobsAnswer, OwedPageAnswer, OwedQuery } from '../../contract/schemas/admin.ts';
import { detail } from './detail.ts';
import { type AdminRouteDeps, adminGuard } from './guard.ts';

/** Mounts the calls about payments that are owed back and about jobs. */
export function adminJobRoutes({ accounts, admin }: AdminRouteDeps) {
  return new Elysia()
    .use(adminGuard(accounts))
    .get('/admin/payments/owed', ({ query }) => admin.owedPayments(query), {
      admin: 'call',
      query: OwedQuery,
      response: OwedPageAnswer,
      ...detail('List payments to refund, newest first'),
    })
    .get('/admin/jobs', () => admin.jobs(), {
      admin: 'call',
      response: JobsAnswer,
      ...detail('Get running and failed jobs, and the disk space'),
    })
    .post(
      '/admin/jobs/:jobID/retry',
      async ({ admin: by, params, set }) => {
        await admin.actions.retryJob(by, params.jobID);
        set.status = 204;
      },
      {
        admin: 'call',
        params: t.Object({ jobID: t.String() }),
        ...detail('Retry a failed job', { 204: 'The job is queued.' }),
      },
    );
}
