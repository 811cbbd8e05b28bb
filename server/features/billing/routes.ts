import { Elysia } from 'elysia';
import {
  BalanceAnswer,
  CostsAnswer,
  StatementListAnswer,
  StatementOrCsv,
  StatementQuery,
} from '../../contract/schemas/billing.ts';
import { sessionGuard } from '../accounts/guard.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Billing } from './service.ts';
import { statementCsv } from './statements/statement-csv.ts';

const detail = (summary: string, description?: string) => ({
  detail: {
    summary,
    ...(description && { description }),
    tags: ['Billing'],
    security: [{ session: [] }],
  },
});

/** What an account has, what it costs and what it has paid. */
export function billingRoutes({ accounts, billing }: { accounts: Accounts; billing: Billing }) {
  return new Elysia()
    .use(sessionGuard(accounts))
    .get('/users/balance', ({ session }) => billing.credit(session.userId), {
      session: true,
      response: BalanceAnswer,
      ...detail('The balance, in USD'),
    })
    .get('/billing/costs', ({ session }) => billing.costs(session.userId), {
      session: true,
      response: CostsAnswer,
      ...detail(
        'What this month has cost so far, by bucket and by kind, and what it will come to',
        'Amounts are USD. Hours are charged a minute after their end.',
      ),
    })
    .get(
      '/billing/statements',
      async ({ session }) => ({ data: await billing.statements(session.userId) }),
      {
        session: true,
        response: StatementListAnswer,
        ...detail('The statements, one for each month, newest first'),
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
          'The statement of a month like 2026-11',
          'With format=csv as a file for a spreadsheet.',
        ),
      },
    );
}
