import { Elysia } from 'elysia';
import {
  BalanceResponse,
  CostsResponse,
  StatementListResponse,
  StatementOrCsv,
  StatementQuery,
} from '../../contract/schemas/billing.ts';
import { sessionGuard } from '../accounts/guard.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Billing } from './service.ts';
import { statementCsv } from './statements/statements.ts';

const detail = (summary: string, description?: string) => ({
  detail: {
    summary,
    ...(description && { description }),
    tags: ['Billing'],
    security: [{ session: [] }],
  },
});

/** Mounts the calls for the balance, the costs and the statements of an account. */
export function billingRoutes({ accounts, billing }: { accounts: Accounts; billing: Billing }) {
  return new Elysia()
    .use(sessionGuard(accounts))
    .get('/users/balance', ({ session }) => billing.credit(session.userId), {
      session: true,
      response: BalanceResponse,
      ...detail('Get the balance in USD'),
    })
    .get('/billing/costs', ({ session }) => billing.costs(session.userId), {
      session: true,
      response: CostsResponse,
      ...detail(
        "Get this month's costs by bucket and kind, with a projection",
        'Amounts are in USD. Each hour is charged one minute after it ends.',
      ),
    })
    .get(
      '/billing/statements',
      async ({ session }) => ({ data: await billing.statements(session.userId) }),
      {
        session: true,
        response: StatementListResponse,
        ...detail('List monthly statements, newest first'),
      },
    )
    .get(
      '/billing/statements/:month',
      async ({ session, params, query, set }) => {
        const statement = await billing.statement(session.userId, params.month);
        if (query.format !== 'csv') return statement;
        set.headers['content-type'] = 'text/csv; charset=utf-8; header=present';
        set.headers['content-disposition'] = `attachment; filename="wharf-${statement.month}.csv"`;
        return statementCsv(statement);
      },
      {
        session: true,
        query: StatementQuery,
        response: StatementOrCsv,
        ...detail(
          'Get the statement of a month, such as 2026-11',
          'Use format=csv to get it for a spreadsheet.',
        ),
      },
    );
}
