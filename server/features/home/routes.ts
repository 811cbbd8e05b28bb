import { Elysia } from 'elysia';
import { SummaryResponse } from '../../contract/schemas/home.ts';
import { sessionGuard } from '../accounts/guard.ts';
import type { Accounts } from '../accounts/service.ts';
import { type SummaryServices, summaryOf } from './summary.ts';

/** Mounts the call by which the page after login stays current. */
export function homeRoutes(services: SummaryServices & { accounts: Accounts }) {
  return new Elysia()
    .use(sessionGuard(services.accounts))
    .get(
      '/users/summary',
      async ({ session }) => (await summaryOf(services, session.userId, [])).summary,
      {
        session: true,
        response: SummaryResponse,
        detail: {
          operationId: 'getSummary',
          summary: 'Get how the account is doing: balance, storage, traffic and newest files',
          tags: ['Accounts'],
          security: [{ session: [] }],
        },
      },
    );
}
