import { formatMonth } from '../../server/contract/dates/format.ts';
import { count } from '../../server/contract/units.ts';
import type { CostsWire } from '../../server/contract/wire.ts';
import { formatEstimate } from './costs-panel.tsx';

/** How many buckets are named. The panel of this month has all. */
const MAX_BUCKETS = 3;
const CENT = 0.01;

/** What this month has cost so far, and for which buckets most. Nothing where that is less than a cent. */
export function MonthCosts({ costs }: { costs: CostsWire }) {
  const { month, so_far: soFar, projection, buckets } = costs;
  if (soFar.total < CENT) return null;
  const shown = buckets.slice(0, MAX_BUCKETS);
  const rest = buckets.slice(MAX_BUCKETS);
  return (
    <section aria-label="Costs of this month" className="mt-5 border-t border-base-300 pt-4">
      <p className="numbers flex flex-wrap justify-between gap-x-4">
        <span>
          {formatMonth(month)}:{' '}
          <strong className="font-semibold">{formatEstimate(soFar.total)}</strong> so far
        </span>
        <span className="text-quiet">{formatEstimate(projection.total)} projected</span>
      </p>
      <ul className="mt-3 flex flex-col gap-2.5">
        {shown.map(({ id, name, deleted, total }) => (
          <li key={id}>
            <Share name={deleted ? `${name} (deleted)` : name} total={total} of={soFar.total} />
          </li>
        ))}
        {rest.length > 0 && (
          <li>
            <Share
              name={`${count(rest.length, 'more bucket')}`}
              total={rest.reduce((sum, { total }) => sum + total, 0)}
              of={soFar.total}
            />
          </li>
        )}
      </ul>
    </section>
  );
}

/** The part of a bucket in the costs, as an amount and a bar. */
function Share({ name, total, of }: { name: string; total: number; of: number }) {
  return (
    <>
      <span className="numbers flex justify-between gap-4">
        <span className="truncate">{name}</span>
        <span className="text-quiet">{formatEstimate(total)}</span>
      </span>
      <progress
        aria-label={`Part of ${name}`}
        className="progress mt-1 block h-1 progress-primary"
        value={total}
        max={of}
      />
    </>
  );
}
