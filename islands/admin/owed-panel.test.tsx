import { expect, test } from 'bun:test';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import type { AdminOwedWire } from '../../server/contract/wire.ts';
import { OwedPaymentsPanel } from './owed-panel.tsx';

const PAYMENT: AdminOwedWire = {
  id: '01jw',
  user: { id: '01us', email: 'ana@example.com' },
  method: 'card',
  note: 'mismatch',
  owed: 20.5,
  reference: 'pi_1',
  checkout: 'cs_1',
  date: '2026-03-01T10:00:00.000Z',
};

const draw = (data: AdminOwedWire[], nextId: string | null = null) =>
  renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <OwedPaymentsPanel first={{ data, nextId }} />
    </QueryClientProvider>,
  );

test('where nothing is owed there is nothing to see', () => {
  expect(draw([])).toBe('');
});

test('what is owed is said with the reason, and with what it is found by at the provider', () => {
  const html = draw([PAYMENT]);
  for (const text of [
    '$20.50',
    'The amount received differs from the amount requested.',
    'Stripe <code class="font-mono">pi_1</code>',
    'href="/admin/users?user=01us"',
    'ana@example.com',
  ]) {
    expect(html).toContain(text);
  }
  expect(html).not.toContain('Only the newest are shown');
});

test('an account that is gone is named by its id alone, and a payment without a reference by its page', () => {
  const user = { id: '01us', email: null };
  const html = draw([{ ...PAYMENT, user, note: 'account-gone', reference: null }], '01jw');
  expect(html).toContain('The account was deleted before the payment arrived.');
  expect(html).not.toContain('<a ');
  expect(html).toContain('>01us<');
  expect(html).toContain('>cs_1<');
  expect(html).toContain('Only the newest are shown');
});
