import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { MESSAGES } from '../../server/contract/messages.ts';
import { formatBalance } from '../../server/contract/money.ts';
import { dispatchBalance } from '../page/page-events.ts';
import { Panel } from '../ui/panel.tsx';
import { getCredit, type Methods } from './calls.ts';

export const CREDIT_KEY = ['credit'];
/** USD. Less than what a new account begins with. */
const LOW = 1;

/** What is left, and what will happen when it is used up. */
export function BalancePanel({ first, methods }: { first: number | null; methods: Methods }) {
  const { data, isError, isFetchedAfterMount } = useQuery({
    queryKey: CREDIT_KEY,
    queryFn: getCredit,
    // What came with the page is shown, and asked for again at once.
    ...(first !== null && { initialData: first, initialDataUpdatedAt: 0 }),
  });
  const credit = isError ? null : data;
  useEffect(() => {
    if (credit !== undefined && isFetchedAfterMount) dispatchBalance(credit);
  }, [credit, isFetchedAfterMount]);

  return (
    <Panel title="Balance" text="What your buckets use is charged to it by the hour.">
      <p className="numbers text-4xl font-semibold tracking-tight" aria-live="polite">
        {credit === null ? MESSAGES.noBalance : credit === undefined ? '–' : formatBalance(credit)}
      </p>
      {typeof credit === 'number' && credit < LOW && (methods.card || methods.crypto) && (
        <p className="mt-4 max-w-prose border-l-2 border-warning pl-3">{warning(credit)}</p>
      )}
    </Panel>
  );
}

const warning = (credit: number) =>
  credit > 0
    ? 'Your balance is low. When it is below zero your buckets become unavailable.'
    : 'Your balance is used up. Below zero uploads are refused, and 72 hours later delivery stops. Adding to it brings everything back within seconds.';
