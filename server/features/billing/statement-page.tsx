import type { ReactNode } from 'react';
import { formatDay, formatMinute, formatMonth } from '../../contract/dates/format.ts';
import { formatAmount, LEDGER_KIND_NAMES } from '../../contract/money.ts';
import { formatCount } from '../../contract/units.ts';
import type { SplitWire, StatementWire } from '../../contract/wire.ts';

/** How many rows a table has on paper. The CSV file has all of them. */
const MAX_ROWS = 200;
const SPLIT_HEADS = ['Storage', 'Bandwidth', 'Uploads', 'Total'];

const splitCells = ({ storage, bandwidth, upload, total }: SplitWire) =>
  [storage, bandwidth, upload, total].map(formatAmount);

/** The statement of a month on one page, which browsers print or save as a PDF. */
export function StatementPage({ statement, email }: { statement: StatementWire; email: string }) {
  const { month, final, opening, added, charged, closing, entries, days, buckets } = statement;
  return (
    <main id="main" className="mx-auto max-w-3xl px-4 pt-6 pb-16 text-sm sm:px-6 print:p-0">
      <div className="flex flex-wrap items-start justify-between gap-4">
        <div>
          <h1 className="text-xl leading-7 font-semibold">Statement for {formatMonth(month)}</h1>
          <p className="mt-1 text-quiet">
            Wharf, account {email}. Days are in UTC.
            {!final && ' This month isn’t over: the amounts are those so far.'}
          </p>
        </div>
        <div className="flex flex-wrap gap-2 print:hidden">
          <a href="/billing" className="btn btn-ghost">
            Back to billing
          </a>
          <button type="button" className="btn btn-primary" data-action="print">
            Print or save as PDF
          </button>
        </div>
      </div>
      <dl className="numbers mt-6 grid grid-cols-2 gap-4 border-y border-base-300 py-4 sm:grid-cols-4 print:grid-cols-4">
        <Sum label="Opening balance" value={formatAmount(opening)} />
        <Sum label="Added" value={formatAmount(added)} />
        <Sum label="Charged" value={formatAmount(charged)} />
        <Sum label="Closing balance" value={formatAmount(closing)} />
      </dl>
      <Rows
        title="Payments and credit"
        heads={['Date', 'What', 'Amount']}
        rows={entries.map(({ date, kind, amount }) => [
          formatMinute(date),
          LEDGER_KIND_NAMES[kind],
          formatAmount(amount),
        ])}
      />
      <Rows
        title="Charges by day"
        heads={['Day', ...SPLIT_HEADS]}
        rows={days.map((day) => [
          day.final ? formatDay(day.date) : `${formatDay(day.date)} so far`,
          ...splitCells(day),
        ])}
      />
      <Rows
        title="Charges by bucket"
        heads={['Bucket', ...SPLIT_HEADS]}
        rows={buckets.map((bucket) => [
          bucket.deleted ? `${bucket.name} (deleted)` : bucket.name,
          ...splitCells(bucket),
        ])}
      />
    </main>
  );
}

function Sum({ label, value }: { label: string; value: ReactNode }) {
  return (
    <div>
      <dt className="text-quiet">{label}</dt>
      <dd className="mt-0.5 text-base font-semibold">{value}</dd>
    </div>
  );
}

/** A table whose first column is text and whose last columns are amounts. It is left out without rows. */
function Rows({ title, heads, rows }: { title: string; heads: string[]; rows: string[][] }) {
  if (rows.length === 0) return null;
  const shown = rows.slice(0, MAX_ROWS);
  const align = (column: number) =>
    column === 0 || heads[column] === 'What' ? 'text-left' : 'text-right';
  // A phone has room for the total only; the parts are on paper.
  const fit = (column: number) =>
    column > 0 && heads.length > SPLIT_HEADS.length && column < heads.length - 1
      ? 'max-sm:hidden print:table-cell'
      : '';
  return (
    <section className="mt-8">
      <table className="numbers w-full">
        <caption className="pb-2 text-left text-base font-semibold">{title}</caption>
        <thead>
          <tr className="text-quiet">
            {heads.map((head, column) => (
              <th
                key={head}
                scope="col"
                className={`h-9 px-2 font-medium ${align(column)} ${fit(column)}`}
              >
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((cells, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows never change
            <tr key={row} className="border-t border-base-300 break-inside-avoid">
              {cells.map((text, column) => (
                <td
                  key={heads[column]}
                  className={`h-8 px-2 ${align(column)} ${fit(column)} ${column === 0 ? 'min-w-28 wrap-anywhere' : 'whitespace-nowrap'}`}
                >
                  {text}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shown.length && (
        <p className="mt-2 text-quiet">
          {formatCount(rows.length - shown.length)} more are in the CSV file.
        </p>
      )}
    </section>
  );
}
