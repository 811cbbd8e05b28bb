import { Elysia } from 'elysia';
import {
  BalanceResponse,
  CostsResponse,
  DayChargesQuery,
  DayChargesResponse,
  StatementListResponse,
  StatementOrCsv,
  StatementQuery,
  StatementResponse,
} from '../../contract/schemas/billing.ts';
import { streamText } from '../../web/http/stream-text.ts';
import { sessionGuard } from '../accounts/guard.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Billing } from './service.ts';

const detail = (operationId: string, summary: string, description?: string) => ({
  detail: {
    operationId,
    summary,
    ...(description && { description }),
    tags: ['Billing'],
    security: [{ session: [] }],
  },
});

/** Adds the two forms of a statement to the description of its call. */
const withCsv = ({ detail: described }: ReturnType<typeof detail>) => ({
  detail: {
    ...described,
    responses: {
      200: {
        description: 'The statement.',
        content: {
          'application/json': { schema: StatementResponse as object },
          'text/csv': { schema: { type: 'string' as const } },
        },
      },
    },
  },
});

const STATEMENT_DETAIL = withCsv(
  detail(
    'getStatement',
    'Get the statement of a month, such as 2026-11',
    'Use format=csv to get it for a spreadsheet.',
  ),
);

/** Mounts the calls for the balance, the costs and the statements of an account. */
export function billingRoutes({ accounts, billing }: { accounts: Accounts; billing: Billing }) {
  return new Elysia()
    .use(sessionGuard(accounts))
    .get('/users/balance', ({ session }) => billing.credit(session.userId), {
      session: true,
      response: BalanceResponse,
      ...detail('getBalance', 'Get the balance in USD', 'All usage up to now is deducted.'),
    })
    .get('/billing/costs', ({ session }) => billing.costs(session.userId), {
      session: true,
      response: CostsResponse,
      ...detail(
        'getCosts',
        "Get this month's costs by bucket and kind, with a projection",
        'Amounts are in USD and include all usage up to now. Each day (UTC) is charged when it is over.',
      ),
    })
    .get(
      '/billing/charges/:day',
      ({ session, params, query }) => billing.chargesOfDay(session.userId, params.day, query),
      {
        session: true,
        query: DayChargesQuery,
        response: DayChargesResponse,
        ...detail(
          'listDayCharges',
          'List what a day (UTC) was charged, by bucket, such as 2026-11-21',
        ),
      },
    )
    .get(
      '/billing/statements',
      async ({ session }) => ({ data: await billing.statements(session.userId) }),
      {
        session: true,
        response: StatementListResponse,
        ...detail('listStatements', 'List monthly statements, newest first'),
      },
    )
    .get(
      '/billing/statements/:month',
      async ({ session, params, query }) => {
        const { userId } = session;
        if (query.format !== 'csv') return billing.statement(userId, params.month);
        const { month, parts } = await billing.statementCsv(userId, params.month);
        const headers = {
          'content-type': 'text/csv; charset=utf-8; header=present',
          'content-disposition': `attachment; filename="wharf-${month}.csv"`,
        };
        // The schema describes the text, which is streamed.
        return new Response(streamText(parts), { headers }) as never;
      },
      {
        session: true,
        query: StatementQuery,
        response: StatementOrCsv,
        ...STATEMENT_DETAIL,
      },
    );
}
