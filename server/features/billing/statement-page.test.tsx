import { expect, test } from 'bun:test';
import { renderToStaticMarkup } from 'react-dom/server';
import { StatementPage } from './statement-page.tsx';

test('the amounts of a statement have the digits that make their sum true', () => {
  const split = { storage: 0.000012, bandwidth: 0.000009, upload: 0, total: 0.000021 };
  const html = renderToStaticMarkup(
    <StatementPage
      email="ana@example.com"
      statement={{
        ...{ month: '2026-11', final: false, opening: 0, added: 206, charged: 0.000021 },
        closing: 205.999979,
        entries: [],
        costs: split,
        days: [{ date: '2026-11-02', final: true, ...split }],
        buckets: [],
      }}
    />,
  );
  const amounts = [...html.matchAll(/(?<=>)-?(&lt;)?\$[\d.,]+(?=<)/g)].map(([text]) => text);
  expect(amounts).toEqual([
    ...['$0.00', '$206.00', '$0.000021', '$205.999979'],
    ...['$0.000012', '$0.000009', '$0.00', '$0.000021'],
  ]);
});
