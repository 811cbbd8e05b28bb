import {
  type Amounts,
  formatEstimate,
  monthlyCost,
  type Prices,
} from '../../../islands/landing/estimate.ts';

export type { Prices };

const START: Amounts = { storage: 100, bandwidth: 500, upload: 50 };

const ITEMS = [
  { key: 'storage', label: 'Storage', unit: 'per GiB per 30 days', amount: 'Stored' },
  { key: 'bandwidth', label: 'Bandwidth', unit: 'per GiB', amount: 'Delivered per month' },
  { key: 'upload', label: 'Uploaded data', unit: 'per GiB', amount: 'Uploaded per month' },
] as const;

/** Three figures, and what they come to. islands/landing does the sum again as one types. */
export function Pricing({ prices }: { prices: Prices }) {
  return (
    <section
      id="pricing"
      aria-labelledby="pricing-title"
      className="scroll-mt-14 border-t border-base-300 py-16"
    >
      <h2 id="pricing-title" className="text-2xl font-semibold tracking-tight">
        Pricing
      </h2>
      <p className="mt-2 text-quiet">Pay for what you use, from a prepaid balance.</p>
      <div className="card mt-8 grid lg:grid-cols-[1fr_22rem]">
        <dl className="grid divide-base-300 max-sm:divide-y sm:grid-cols-3 sm:divide-x">
          {ITEMS.map(({ key, label, unit }) => (
            <div key={key} className="flex flex-col p-6">
              <dt className="text-quiet">{label}</dt>
              <dd className="mt-auto pt-6">
                <span className="numbers block text-4xl font-semibold tracking-tight">
                  ${prices[key]}
                </span>
                <span className="text-sm text-quiet">{unit}</span>
              </dd>
            </div>
          ))}
        </dl>
        <Calculator prices={prices} />
      </div>
      <a href="/signup" className="btn btn-primary mt-8 h-11 px-5 text-base">
        Get Started for Free
      </a>
    </section>
  );
}

function Calculator({ prices }: { prices: Prices }) {
  return (
    <form
      className="flex flex-col gap-3 border-base-300 p-6 text-sm max-lg:border-t lg:border-l"
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
      <p className="mt-2 flex items-baseline justify-between border-t border-base-300 pt-4">
        Per month
        <output className="numbers text-xl font-semibold">
          {formatEstimate(monthlyCost(prices, START))}
        </output>
      </p>
    </form>
  );
}
