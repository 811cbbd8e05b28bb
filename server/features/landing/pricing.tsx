import {
  type Amounts,
  formatEstimate,
  monthlyCost,
  type Prices,
} from '../../../islands/landing/calculator.ts';
import { Section } from './section.tsx';

export type { Prices };

const START: Amounts = { storage: 100, bandwidth: 500, upload: 50 };

const ITEMS = [
  {
    key: 'storage',
    label: 'Storage',
    what: 'Everything your buckets store, for as long as it is stored.',
    unit: 'per GiB per 30 days',
    amount: 'Stored',
  },
  {
    key: 'bandwidth',
    label: 'Bandwidth',
    what: 'Data delivered to your viewers.',
    unit: 'per GiB',
    amount: 'Delivered per month',
  },
  {
    key: 'upload',
    label: 'Uploaded data',
    what: 'Data received in completed uploads.',
    unit: 'per GiB',
    amount: 'Uploaded per month',
  },
] as const;

/**
 * The three prices, and a calculator. islands/landing updates the total while the visitor types.
 */
export function Pricing({ prices }: { prices: Prices }) {
  return (
    <Section
      id="pricing"
      title="Pay only for what you use"
      text="Three prices and a prepaid balance. No subscription."
    >
      <div className="card mt-8 grid lg:grid-cols-[1fr_24rem]">
        <dl className="grid auto-rows-fr divide-y divide-base-300">
          {ITEMS.map(({ key, label, what, unit }) => (
            <div key={key} className="flex items-center justify-between gap-6 px-6 py-5">
              <dt className="font-semibold">
                {label}
                <span className="mt-1 block text-sm font-normal text-quiet">{what}</span>
              </dt>
              <dd className="shrink-0 text-right">
                <span className="numbers block text-3xl font-semibold tracking-tight sm:text-4xl">
                  ${prices[key]}
                </span>
                <span className="text-sm text-quiet">{unit}</span>
              </dd>
            </div>
          ))}
        </dl>
        <div className="flex flex-col border-base-300 p-6 max-lg:border-t lg:border-l">
          <Calculator prices={prices} />
          <a href="/signup" className="btn btn-primary mt-6 h-11 text-base">
            Get Started for Free
          </a>
        </div>
      </div>
    </Section>
  );
}

function Calculator({ prices }: { prices: Prices }) {
  return (
    <form
      className="flex grow flex-col gap-3 text-sm"
      aria-label="Cost calculator"
      data-calculator={JSON.stringify(prices)}
    >
      {ITEMS.map(({ key, amount }) => (
        <label key={key} className="flex items-center justify-between gap-4">
          <span>{amount}</span>
          <span className="input numbers w-32 shrink-0">
            <input
              name={key}
              inputMode="decimal"
              autoComplete="off"
              className="min-w-0 text-right"
              defaultValue={START[key]}
            />
            <span className="text-quiet">GiB</span>
          </span>
        </label>
      ))}
      <p className="mt-auto flex items-baseline justify-between border-t border-base-300 pt-4">
        Per month
        <output className="numbers text-3xl font-semibold tracking-tight">
          {formatEstimate(monthlyCost(prices, START))}
        </output>
      </p>
    </form>
  );
}
