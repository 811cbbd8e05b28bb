import { Elysia } from 'elysia';
import {
  AdminDeleteUserBody,
  AdminUserDetailAnswer,
  CreditAnswer,
  GrantBody,
} from '../../contract/schemas/admin.ts';
import { invalid } from '../../errors.ts';
import { DELETING, detail } from './detail.ts';
import { type AdminRouteDeps, adminGuard } from './guard.ts';

/** Mounts the calls that show, ban and delete one user, and grant credit. */
export function adminUserRoutes({ accounts, admin }: AdminRouteDeps) {
  return new Elysia()
    .use(adminGuard(accounts))
    .get('/admin/users/:userID', ({ params }) => admin.user(params.userID), {
      admin: 'call',
      response: AdminUserDetailAnswer,
      ...detail('Get a user with their buckets, files and credit'),
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
      { admin: 'call', ...detail('Unban a user', { 204: 'Lifted.' }) },
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
        ...detail('Delete a user and all their data; send their email address to confirm', {
          204: DELETING,
        }),
      },
    )
    .post(
      '/admin/users/:userID/credit',
      ({ admin: by, params, body }) => {
        if (body.usd === 0 || !/^-?\d+(\.\d{1,2})?$/.test(String(body.usd))) {
          throw invalid('usd must be an amount other than 0 with at most two decimals.');
        }
        return admin.actions.grantCredit(by, params.userID, body);
      },
      {
        admin: 'call',
        body: GrantBody,
        response: CreditAnswer,
        ...detail('Grant a user credit, or deduct it with a negative amount; idempotent by id'),
      },
    );
}
