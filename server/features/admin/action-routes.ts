import { Elysia, t } from 'elysia';
import { isInCents } from '../../contract/money.ts';
import {
  AdminBucketDetailResponse,
  AdminDeleteBucketBody,
  AdminDeleteUserBody,
  AdminUserDetailResponse,
  CreditResponse,
  GrantBody,
  JobsResponse,
  StorageLimitBody,
} from '../../contract/schemas/admin.ts';
import { invalid } from '../../errors.ts';
import { type AdminRouteDeps, adminGuard, DELETING, detail } from './guard.ts';
import { adminPaymentRoutes } from './payment-routes.ts';
import { adminLogRoutes } from './routes.ts';

/** Returns the admin's calls about single things. Their order is the order of the API reference. */
export const adminActionRoutes = (deps: AdminRouteDeps) => [
  adminBucketRoutes(deps),
  adminUserRoutes(deps),
  adminAllowanceRoutes(deps),
  adminPaymentRoutes(deps),
  adminLogRoutes(deps),
  adminJobRoutes(deps),
];

/** Mounts the calls that show, ban and delete one bucket. */
function adminBucketRoutes({ accounts, admin }: AdminRouteDeps) {
  return new Elysia()
    .use(adminGuard(accounts))
    .get('/admin/buckets/:bucketID', ({ params }) => admin.bucket(params.bucketID), {
      admin: 'call',
      response: AdminBucketDetailResponse,
      ...detail('getAnyBucket', 'Get a bucket and its owner'),
    })
    .post(
      '/admin/buckets/:bucketID/ban',
      async ({ admin: by, params, set }) => {
        await admin.actions.banBucket(by, params.bucketID);
        set.status = 204;
      },
      {
        admin: 'call',
        ...detail('banBucket', 'Ban a bucket; delivery and uploads stop immediately', {
          204: 'Banned.',
        }),
      },
    )
    .post(
      '/admin/buckets/:bucketID/unban',
      async ({ admin: by, params, set }) => {
        await admin.actions.unbanBucket(by, params.bucketID);
        set.status = 204;
      },
      { admin: 'call', ...detail('unbanBucket', 'Unban a bucket', { 204: 'Lifted.' }) },
    )
    .delete(
      '/admin/buckets/:bucketID',
      async ({ admin: by, params, body, set }) => {
        await admin.actions.deleteBucket(by, params.bucketID, body.name);
        set.status = 204;
      },
      {
        admin: 'call',
        body: AdminDeleteBucketBody,
        ...detail(
          'deleteAnyBucket',
          'Delete a bucket and all its files; send its name to confirm',
          { 204: DELETING },
        ),
      },
    );
}

/** Mounts the calls that show, ban and delete one user. */
function adminUserRoutes({ accounts, admin }: AdminRouteDeps) {
  return new Elysia()
    .use(adminGuard(accounts))
    .get('/admin/users/:userID', ({ params }) => admin.user(params.userID), {
      admin: 'call',
      response: AdminUserDetailResponse,
      ...detail('getUser', 'Get a user with their buckets, files and credit'),
    })
    .post(
      '/admin/users/:userID/ban',
      async ({ admin: by, params, set }) => {
        await admin.actions.banUser(by, params.userID);
        set.status = 204;
      },
      {
        admin: 'call',
        ...detail(
          'banUser',
          'Ban a user; sessions, keys, tokens and the delivery of their buckets stop immediately',
          { 204: 'Banned.' },
        ),
      },
    )
    .post(
      '/admin/users/:userID/unban',
      async ({ admin: by, params, set }) => {
        await admin.actions.unbanUser(by, params.userID);
        set.status = 204;
      },
      { admin: 'call', ...detail('unbanUser', 'Unban a user', { 204: 'Lifted.' }) },
    )
    .delete(
      '/admin/users/:userID',
      async ({ admin: by, params, body, set }) => {
        await admin.actions.deleteUser(by, params.userID, body.email);
        set.status = 204;
      },
      {
        admin: 'call',
        body: AdminDeleteUserBody,
        ...detail(
          'deleteUser',
          'Delete a user and all their data; send their email address to confirm',
          {
            204: DELETING,
          },
        ),
      },
    );
}

/** Mounts the calls that grant a user credit, and limit what they store. */
function adminAllowanceRoutes({ accounts, admin }: AdminRouteDeps) {
  return new Elysia()
    .use(adminGuard(accounts))
    .post(
      '/admin/users/:userID/credit',
      ({ admin: by, params, body }) => {
        if (body.usd === 0 || !isInCents(body.usd)) {
          throw invalid('usd must be an amount other than 0 with at most two decimals.');
        }
        return admin.actions.grantCredit(by, params.userID, body);
      },
      {
        admin: 'call',
        body: GrantBody,
        response: CreditResponse,
        ...detail(
          'grantCredit',
          'Grant a user credit, or deduct it with a negative amount; idempotent by id',
        ),
      },
    )
    .put(
      '/admin/users/:userID/storage-limit',
      async ({ admin: by, params, body, set }) => {
        await admin.actions.setStorageLimit(by, params.userID, body.max_bytes);
        set.status = 204;
      },
      {
        admin: 'call',
        body: StorageLimitBody,
        ...detail(
          'updateStorageLimit',
          'Set the storage limit of a user in bytes; null is the default',
          {
            204: 'Set. Files beyond the limit stay.',
          },
        ),
      },
    );
}

/** Mounts the calls about jobs. */
function adminJobRoutes({ accounts, admin }: AdminRouteDeps) {
  return new Elysia()
    .use(adminGuard(accounts))
    .get('/admin/jobs', () => admin.jobs(), {
      admin: 'call',
      response: JobsResponse,
      ...detail('listJobs', 'Get running and failed jobs, and the disk space'),
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
        ...detail('retryJob', 'Retry a failed job', { 204: 'The job is queued.' }),
      },
    );
}
