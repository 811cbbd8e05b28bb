import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import ChevronRight from 'lucide-react/icons/chevron-right';
import { type ReactNode, useState } from 'react';
import { formatDay } from '../../server/contract/dates/format.ts';
import { formatAmount } from '../../server/contract/money.ts';
import type { DayChargesWire, StatementWire } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { Button } from '../ui/form/button.tsx';
import { ErrorState, Spinner } from '../ui/states.tsx';
import { BucketCosts } from './costs-panel.tsx';

const FIRST_PAGE = '0';

/** The charges of a month by day, and of each day by bucket. They are loaded when they are opened. */
export function DailyCharges({ month, name }: { month: string; name: string }) {
  return (
    <Disclosure
      summary={<span className="text-quiet">Daily charges</span>}
      label={`Daily charges of ${name}`}
    >
      {() => <Days month={month} />}
    </Disclosure>
  );
}

function Days({ month }: { month: string }) {
  const { data, isError, refetch } = useQuery({
    queryKey: ['statement', month],
    queryFn: async () =>
      (await call('GET /billing/statements/:month', { params: { month } })) as StatementWire,
  });
  if (isError) {
    return <ErrorState tried="The charges could not be loaded." onRetry={() => void refetch()} />;
  }
  if (!data) return <Spinner />;
  if (data.days.length === 0) {
    return (
      <p className="py-3 text-quiet">No daily charges. Download the CSV for charges by bucket.</p>
    );
  }
  return (
    <ul className="divide-y divide-base-300 border-t border-base-300">
      {data.days.toReversed().map((day) => (
        <li key={day.date}>
          {day.final ? (
            <Disclosure summary={<DaySummary day={day} />}>
              {() => <Buckets day={day.date} />}
            </Disclosure>
          ) : (
            <p className="flex min-h-11 items-center pl-[22px]">
              <DaySummary day={day} />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

function DaySummary({ day: { date, final, total } }: { day: StatementWire['days'][number] }) {
  return (
    <span className="numbers flex grow justify-between gap-4">
      <span>
        {formatDay(date)}
        {!final && <span className="text-quiet"> so far</span>}
      </span>
      <span>{formatAmount(total)}</span>
    </span>
  );
}

function Buckets({ day }: { day: string }) {
  const { data, isError, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery({
      queryKey: ['charges', day],
      queryFn: ({ pageParam }): Promise<DayChargesWire> =>
        call('GET /billing/charges/:day', { params: { day }, query: { cursor: pageParam } }),
      initialPageParam: FIRST_PAGE,
      getNextPageParam: (page) => page.nextId,
    });
  if (isError) {
    return <ErrorState tried="The charges could not be loaded." onRetry={() => void refetch()} />;
  }
  if (!data) return <Spinner />;
  return (
    <div className="mb-3 overflow-x-auto rounded-md border border-base-300">
      <BucketCosts buckets={data.pages.flatMap((page) => page.data)} />
      {hasNextPage && (
        <Button
          className="btn-sm btn-ghost m-2"
          pending={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </div>
  );
}

/** A section that is rendered only once it is open. */
function Disclosure({
  summary,
  label,
  children,
}: {
  summary: ReactNode;
  label?: string;
  children: () => ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className="group/disclosure w-full"
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary
        aria-label={label}
        className="flex min-h-11 cursor-pointer items-center gap-1.5 hover:text-base-content"
      >
        <ChevronRight size={16} aria-hidden className={`shrink-0 ${isOpen ? 'rotate-90' : ''}`} />
        {summary}
      </summary>
      {isOpen && children()}
    </details>
  );
}
