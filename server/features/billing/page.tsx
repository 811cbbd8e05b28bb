import { Elysia } from 'elysia';
import type { ReactNode } from 'react';
import { isId } from '../../platform/ids.ts';
import { Island } from '../../web/islands/island.tsx';
import { type PrivateContent, type PrivateSite, privatePage } from '../../web/render/page.tsx';
import type { Payments } from './payments/service.ts';
import type { Billing } from './service.ts';
import { StatementPage } from './statement-page.tsx';

type Services = PrivateSite & {
  billing: Pick<Billing, 'credit' | 'costs' | 'statements' | 'statement'>;
  payments: Pick<Payments, 'methods' | 'list'>;
};

/** Mounts the billing page, the statements to print, and the page to which the card provider returns the payer. */
export function billingPages(services: Services) {
  const { billing, payments } = services;
  const page = (title: string, island: ReactNode): PrivateContent => ({
    title,
    at: 'billing',
    body: (
      <main id="main" className="mx-auto max-w-page px-4 pt-6 pb-16 text-sm sm:px-6">
        {island}
      </main>
    ),
  });

  return new Elysia({ name: 'billing-pages', detail: { hide: true } })
    .get('/billing', ({ request }) =>
      privatePage(services, request, async (viewer) => {
        const { userId } = viewer;
        const [credit, first, costs, statements] = await Promise.all([
          orNull(billing.credit(userId)),
          orNull(payments.list(userId, {})),
          orNull(billing.costs(userId)),
          orNull(billing.statements(userId)),
        ]);
        const { methods } = payments;
        const props = {
          paymentId: paymentOf(request),
          methods,
          credit: credit?.credit ?? null,
          payments: first,
          costs,
          statements,
        };
        return page('Billing', <Island name="billing" props={props} />);
      }),
    )
    .get('/billing/print/:month', ({ request, params }) =>
      privatePage(services, request, async (viewer) => {
        const statement = await billing.statement(viewer.userId, params.month);
        return {
          title: `Statement for ${statement.month}`,
          at: 'billing',
          body: <StatementPage statement={statement} email={viewer.email} />,
        };
      }),
    )
    .get('/billing/success', ({ request }) =>
      privatePage(services, request, async () =>
        page('Payment', <Island name="payment-return" props={{ paymentId: paymentOf(request) }} />),
      ),
    );
}

/** Returns the id of the payment that a provider returns the payer from. */
function paymentOf(request: Request): string | null {
  const id = new URL(request.url).searchParams.get('payment') ?? '';
  return isId(id) ? id : null;
}

/**
 * A part that could not be loaded is null. The page then requests it again, and shows an error if
 * that fails too.
 */
const orNull = <Value,>(value: Promise<Value>): Promise<Value | null> => value.catch(() => null);
