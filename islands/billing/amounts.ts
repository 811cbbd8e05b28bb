const CENT = 0.01;
const LEAST = 0.0001;

/**
 * What something cost, in USD: cents where there are some, four decimals below that, so that a small
 * cost is not shown as none.
 */
export function formatCost(usd: number): string {
  if (usd === 0) return '$0.00';
  if (usd < LEAST) return '<$0.0001';
  return `$${usd.toFixed(usd < CENT ? 4 : 2)}`;
}

const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** 'November 2026' of '2026-11'. */
export const formatMonth = (text: string) => month.format(new Date(`${text}-01T00:00:00Z`));
