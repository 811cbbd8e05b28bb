import { useQuery } from '@tanstack/react-query';
import { formatMonth } from '../../server/contract/dates/format.ts';
import { formatAmount } from '../../server/contract/money.ts';
import { formatFigure } from '../../server/contract/units.ts';
import type { CostsWire, SplitWire } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { Panel } from '../ui/panel.tsx';
import { ErrorState, Spinner } from '../ui/states.tsx';

const KINDS: [keyof SplitWire, string][] = [
  ['storage', 'Storage'],
  ['bandwidth', 'Bandwidth'],
  ['upload', 'Uploads'],
];

const CENT = 0.01;

/** Loads the costs of this month. `first` are those that the page was rendered with. */
export const useCosts = (first: CostsWire | null) =>
  useQuery({
    queryKey: ['costs'],
    queryFn: () => call('GET /billing/costs'),
    // Loaded again with the balance, so that the amounts add up.
    ...(first && { initialData: first, initialDataUpdatedAt: 0 }),
  });

/** The costs of this month so far, by kind and by bucket, and their projection. */
export function CostsPanel({ first }: { first: CostsWire | null }) {
  const { data, isError, refetch } = useCosts(first);
  return (
    <Panel
      title="This month"
      text={data ? `Costs for ${formatMonth(data.month)} so far.` : 'Costs so far.'}
    >
      {data ? (
        <Costs costs={data} />
      ) : isError ? (
        <ErrorState tried="The costs could not be loaded." onRetry={() => void refetch()} />
      ) : (
        <Spinner />
      )}
    </Panel>
  );
}

function Costs({ costs }: { costs: CostsWire }) {
  const { so_far: soFar, projection, buckets } = costs;
  return (
    <>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-5">
        <Figure label="So far" value={formatAmount(soFar.total)} />
        <Figure label="Projected" value={formatEstimate(projection.total)} />
        {KINDS.map(([kind, label]) => (
          <Figure key={kind} label={label} value={formatAmount(soFar[kind])} />
        ))}
      </dl>
      {buckets.length > 0 && (
        <section
          aria-label="Cost by bucket"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
          tabIndex={0}
          className="flush max-h-80 overflow-auto"
        >
          <BucketCosts buckets={buckets} />
        </section>
      )}
    </>
  );
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt className="text-quiet">{label}</dt>
      <dd className="numbers mt-0.5 text-base font-semibold">{value}</dd>
    </div>
  );
}

/** The first and the last column end where the other contents of the card do. */
const edge = 'px-4 first:pl-5 last:pr-5';
const head = `sticky top-0 h-10 bg-base-200 ${edge} text-xs font-medium text-quiet`;

/** The costs of buckets by kind, as a table. */
export function BucketCosts({ buckets }: { buckets: CostsWire['buckets'] }) {
  return (
    <table className="numbers w-full text-right">
      <thead>
        <tr>
          <th scope="col" className={`${head} text-left`}>
            Bucket
          </th>
          {KINDS.map(([kind, label]) => (
            <th key={kind} scope="col" className={`${head} max-sm:hidden`}>
              {label}
            </th>
          ))}
          <th scope="col" className={head}>
            Total
          </th>
        </tr>
      </thead>
      <tbody>
        {buckets.map((bucket) => (
          <tr key={bucket.id} className="h-10 border-t border-base-300">
            <th
              scope="row"
              className={`max-w-40 sm:max-w-56 truncate ${edge} text-left font-normal`}
            >
              {bucket.deleted ? (
                <span className="text-quiet">{bucket.name} (deleted)</span>
              ) : (
                <a href={`/dashboard/bucket/${bucket.id}`} className="link link-hover">
                  {bucket.name}
                </a>
              )}
            </th>
            {KINDS.map(([kind]) => (
              <td key={kind} className={`${edge} max-sm:hidden`}>
                {formatAmount(bucket[kind])}
              </td>
            ))}
            <td className={`${edge} font-medium`}>{formatAmount(bucket.total)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Formats an estimate in USD in cents, so that it does not look exact. A small one is not shown as zero. */
export const formatEstimate = (usd: number): string =>
  usd > 0 && usd < CENT ? '<$0.01' : `$${formatFigure(usd)}`;
