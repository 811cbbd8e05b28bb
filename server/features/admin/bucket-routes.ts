import { Elysia } from 'elysia';
import { AdminBucketDetailAnswer, AdminDeleteBucketBody } from '../../contract/schemas/admin.ts';
import { DELETING, detail } from './detail.ts';
import { type AdminRouteDeps, adminGuard } from './guard.ts';

/** Mounts the calls that show, ban and delete one bucket. */
export function adminBucketRoutes({ accounts, admin }: AdminRouteDeps) {
  return new Elysia()
    .use(adminGuard(accounts))
    .get('/admin/buckets/:bucketID', ({ params }) => admin.bucket(params.bucketID), {
      admin: 'call',
      response: AdminBucketDetailAnswer,
      ...detail('Get a bucket and its owner'),
    })
    .post(
      '/admin/buckets/:bucketID/ban',
      async ({ admin: by, params, set }) => {
        await admin.actions.banBucket(by, params.bucketID);
        set.status = 204;
      },
      {
        admin: 'call',
        ...detail('Ban a bucket; delivery and uploads stop immediately', { 204: 'Banned.' }),
      },
    )
    .post(
      '/admin/buckets/:bucketID/unban',
      async ({ admin: by, params, set }) => {
        await admin.actions.unbanBucket(by, params.bucketID);
        set.status = 204;
      },
      { admin: 'call', ...detail('Unban a bucket', { 204: 'Lifted.' }) },
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
        ...detail('Delete a bucket and all its files; send its name to confirm', { 204: DELETING }),
      },
    );
}
