/** Starts the price calculator. The server has rendered the first result; this updates it. */
export function startCalculator() {
  const form = document.querySelector<HTMLFormElement>('[data-calculator]');
  const output = form?.querySelector('output');
  if (!form || !output) return;

  const prices: Prices = JSON.parse(form.dataset.calculator ?? '{}');
  const amountOf = (name: string) => parseAmount(String(new FormData(form).get(name) ?? ''));
  const update = () => {
    const amounts = {
      storage: amountOf('storage'),
      bandwidth: amountOf('bandwidth'),
      upload: amountOf('upload'),
    };
    output.textContent = formatEstimate(monthlyCost(prices, amounts));
  };
  form.addEventListener('input', update);
  form.addEventListener('submit', (event) => event.preventDefault());
  // Browsers restore what was typed before a reload.
  update();
}

/** The GiB that are stored, delivered and uploaded in a month. */
export type Amounts = { storage: number; bandwidth: number; upload: number };
/** USD per GiB per 30 days, per GiB, per GiB. */
export type Prices = { storage: number; bandwidth: number; upload: number };

/** Returns the cost of 30 days in USD. */
export const monthlyCost = (prices: Prices, amounts: Amounts) =>
  prices.storage * amounts.storage +
  prices.bandwidth * amounts.bandwidth +
  prices.upload * amounts.upload;

/** Parses a typed amount. Anything but a positive number is zero. */
export function parseAmount(text: string): number {
  const value = Number(text.replace(',', '.').trim());
  return Number.isFinite(value) && value > 0 ? value : 0;
}

export const formatEstimate = (usd: number) =>
  usd.toLocaleString('en-US', { style: 'currency', currency: 'USD' });
