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
      ...detail('List payments that arrived and are to be given back, newest first'),
    })
    .get('/admin/jobs', () => admin.jobs(), {
      admin: 'call',
      response: JobsAnswer,
      ...detail('Jobs that run and that have failed, and the room on the disk'),
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
        ...detail('Do a failed job again', { 204: 'It waits for its turn.' }),
      },
    );
}
