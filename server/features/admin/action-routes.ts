import { Elysia, t } from 'elysia';
import { invalid } from '../../errors.ts';
import { textResponse } from '../../web/http/openapi-responses.ts';
import type { Accounts } from '../accounts/service.ts';
import { detail } from './detail.ts';
import { adminGuard } from './guard.ts';
import {
  BucketDetailAnswer,
  CreditAnswer,
  DeleteBucketBody,
  DeleteUserBody,
  ExportQuery,
  GrantBody,
  JobsAnswer,
  OwedPageAnswer,
  OwedQuery,
  UserDetailAnswer,
} from './schema.ts';
import type { Admin } from './service.ts';

const TYPES = { csv: 'text/csv; charset=utf-8', jsonl: 'application/jsonl; charset=utf-8' };

const exported = (summary: string) => ({
  detail: {
    ...detail(summary).detail,
    ...textResponse('One entry a line, newest first.', ...Object.values(TYPES)),
  },
});
const DELETING = 'It is being deleted: from now on nothing of it is delivered.';

/** What the admin looks at one by one, and does. */
export function adminActionRoutes({ accounts, admin }: { accounts: Accounts; admin: Admin }) {
  const call = { admin: 'call' } as const;

  return new Elysia({ prefix: '/admin' })
    .use(adminGuard(accounts))
    .get('/buckets/:bucketID', ({ params }) => admin.bucket(params.bucketID), {
      ...call,
      response: BucketDetailAnswer,
      ...detail('One bucket, with its owner'),
    })
    .post(
      '/buckets/:bucketID/ban',
      async ({ admin: by, params, set }) => {
        await admin.banBucket(by, params.bucketID);
        set.status = 204;
      },
      {
        ...call,
        ...detail('Ban a bucket: its delivery and uploads stop at once', { 204: 'Banned.' }),
      },
    )
    .post(
      '/buckets/:bucketID/unban',
      async ({ admin: by, params, set }) => {
        await admin.unbanBucket(by, params.bucketID);
        set.status = 204;
      },
      { ...call, ...detail('Lift the ban of a bucket', { 204: 'Lifted.' }) },
    )
    .delete(
      '/buckets/:bucketID',
      async ({ admin: by, params, body, set }) => {
        await admin.deleteBucket(by, params.bucketID, body.name);
        set.status = 204;
      },
      {
        ...call,
        body: DeleteBucketBody,
        ...detail('Delete a bucket and all its files; name is its name', { 204: DELETING }),
      },
    )
    .get('/users/:userID', ({ params }) => admin.user(params.userID), {
      ...call,
      response: UserDetailAnswer,
      ...detail('One user, with what they own and their credit'),
    })
    .post(
      '/users/:userID/ban',
      async ({ admin: by, params, set }) => {
        await admin.banUser(by, params.userID);
        set.status = 204;
      },
      {
        ...call,
        ...detail(
          'Ban a user: sessions, keys, tokens and the delivery of their buckets end at once',
          { 204: 'Banned.' },
        ),
      },
    )
    .post(
      '/users/:userID/unban',
      async ({ admin: by, params, set }) => {
        await admin.unbanUser(by, params.userID);
        set.status = 204;
      },
      { ...call, ...detail('Lift the ban of a user', { 204: 'Lifted.' }) },
    )
    .delete(
      '/users/:userID',
      async ({ admin: by, params, body, set }) => {
        await admin.deleteUser(by, params.userID, body.email);
        set.status = 204;
      },
      {
        ...call,
        body: DeleteUserBody,
        ...detail('Delete a user and all that they own; email is their address', { 204: DELETING }),
      },
    )
    .post(
      '/users/:userID/credit',
      ({ admin: by, params, body }) => {
        if (body.usd === 0 || !/^-?\d+(\.\d{1,2})?$/.test(String(body.usd))) {
          throw invalid('usd must be an amount with at most two decimals, not 0.');
        }
        return admin.grantCredit(by, params.userID, body);
      },
      {
        ...call,
        body: GrantBody,
        response: CreditAnswer,
        ...detail('Grant a user credit, or take it with a minus; once for each id'),
      },
    )
    .get(
      '/logs/export',
      ({ query: { format, ...filters } }) =>
        new Response(admin.exportLogs(filters, format), {
          headers: {
            'content-type': TYPES[format],
            'content-disposition': `attachment; filename="audit-log.${format}"`,
            'cache-control': 'private, no-store',
          },
        }),
      {
        ...call,
        query: ExportQuery,
        ...exported('All of the audit log that the filters let through'),
      },
    )
    .delete(
      '/logs/:logID',
      async ({ admin: by, params, set }) => {
        await admin.hideLog(by, params.logID);
        set.status = 204;
      },
      {
        ...call,
        ...detail('Hide an entry of the audit log, which is itself logged', { 204: 'Hidden.' }),
      },
    )
    .get('/payments/owed', ({ query }) => admin.owedPayments(query), {
      ...call,
      query: OwedQuery,
      response: OwedPageAnswer,
      ...detail('List payments that arrived and are to be given back, newest first'),
    })
    .get('/jobs', () => admin.jobs(), {
      ...call,
      response: JobsAnswer,
      ...detail('Jobs that run and that have failed, and the room on the disk'),
    })
    .post(
      '/jobs/:jobID/retry',
      async ({ admin: by, params, set }) => {
        await admin.retryJob(by, params.jobID);
        set.status = 204;
      },
      {
        ...call,
        params: t.Object({ jobID: t.String() }),
        ...detail('Do a failed job again', { 204: 'It waits for its turn.' }),
      },
    );
}
