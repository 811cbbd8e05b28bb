import { useMutation, useQuery } from '@tanstack/react-query';
import Download from 'lucide-react/icons/download';
import Printer from 'lucide-react/icons/printer';
import { formatMonth } from '../../server/contract/dates/format.ts';
import { formatAmount } from '../../server/contract/money.ts';
import type { StatementSummaryWire } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { Button } from '../ui/form/button.tsx';
import { Panel } from '../ui/panel.tsx';
import { ErrorState, Spinner } from '../ui/states.tsx';
import { DailyCharges } from './daily-charges.tsx';

/** The monthly statements, each with its CSV file. */
export function StatementsPanel({ first }: { first: StatementSummaryWire[] | null }) {
  const { data, isError, refetch } = useQuery({
    queryKey: ['statements'],
    queryFn: getStatements,
    // Loaded again with the balance, so that the amounts add up.
    ...(first && { initialData: first, initialDataUpdatedAt: 0 }),
  });
  const download = useMutation({
    mutationFn: getStatementCsv,
    onSuccess: (text, month) => saveText(text, `wharf-${month}.csv`, 'text/csv'),
  });
  return (
    <Panel
      title="Statements"
      text="Charges and payments by month, in UTC. Each day is charged when it ends."
    >
      {data ? (
        <ul className="flush rows">
          {data.map((statement) => (
            <Statement
              key={statement.month}
              statement={statement}
              isLoading={download.isPending && download.variables === statement.month}
              onDownload={() => download.mutate(statement.month)}
            />
          ))}
          {data.length === 0 && <li className="text-quiet">No statements yet.</li>}
        </ul>
      ) : isError ? (
        <ErrorState tried="The statements could not be loaded." onRetry={() => void refetch()} />
      ) : (
        <Spinner />
      )}
    </Panel>
  );
}

function Statement({
  statement,
  isLoading,
  onDownload,
}: {
  statement: StatementSummaryWire;
  isLoading: boolean;
  onDownload: () => void;
}) {
  const { month, final, charged, added, closing } = statement;
  const name = formatMonth(month);
  return (
    <li className="flex flex-wrap items-center gap-x-2 gap-y-1 sm:gap-x-6">
      <p className="w-32 font-medium">
        {name}
        {!final && <span className="block text-xs font-normal text-quiet">So far</span>}
      </p>
      <dl className="numbers order-last grid w-full grid-cols-[repeat(auto-fit,minmax(5.75rem,1fr))] gap-x-3 gap-y-2 sm:order-none sm:w-auto sm:grow">
        <Sum label="Charged" value={formatAmount(charged)} />
        <Sum label="Added" value={formatAmount(added)} />
        <Sum label="Closing balance" value={formatAmount(closing)} />
      </dl>
      <div className="ml-auto flex">
        <a
          href={`/billing/print/${month}`}
          className="btn btn-sm btn-ghost"
          aria-label={`Print ${name} or save it as a PDF`}
        >
          <Printer size={16} aria-hidden />
          PDF
        </a>
        <Button
          className="btn-sm btn-ghost -mr-3"
          aria-label={`Download the CSV of ${name}`}
          pending={isLoading}
          onClick={onDownload}
        >
          {!isLoading && <Download size={16} aria-hidden />}
          CSV
        </Button>
      </div>
      <div className="order-last w-full">
        <DailyCharges month={month} name={name} />
      </div>
    </li>
  );
}

function Sum({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt className="text-xs text-quiet">{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}

const getStatements = async () => (await call('GET /billing/statements')).data;

/** Returns a month's statement as CSV. */
const getStatementCsv = async (month: string) =>
  String(
    await call('GET /billing/statements/:month', { params: { month }, query: { format: 'csv' } }),
  );

/** Downloads a text as a file. A plain link could not send the authorization header. */
function saveText(text: string, name: string, type: string) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser starts to read the URL only after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
