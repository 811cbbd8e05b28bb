/** Told what the balance is, in USD; null where it can't be had. */
export const BALANCE = 'wharf:balance';

/** Shows it in the bar. */
export function tellBalance(credit: number | null) {
  document.dispatchEvent(new CustomEvent(BALANCE, { detail: credit }));
}
