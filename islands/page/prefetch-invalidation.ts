import { CHANGED_EVENT } from '../runtime/page-events.ts';

/** Browsers keep a prefetched page for five minutes, which is too long for pages with live data. */
const PREFETCH_TTL_MS = 10_000;
/** Browsers ignore the removal of rules that are added again immediately. */
const READD_DELAY_MS = 100;

/** Discards prefetched pages after ten seconds, and whenever a call has changed something. */
export function invalidatePrefetches() {
  let timer = 0;
  const discard = () => {
    clearTimeout(timer);
    timer = 0;
    const rules = document.querySelector<HTMLScriptElement>('script[type=speculationrules]');
    if (!rules) return;
    const script = document.createElement('script');
    script.type = rules.type;
    script.nonce = rules.nonce;
    script.textContent = rules.textContent;
    rules.remove();
    setTimeout(() => document.head.append(script), READD_DELAY_MS);
  };
  const mayPrefetch = ({ target }: Event) => {
    if (timer === 0 && target instanceof Element && target.closest('a[href]')) {
      timer = window.setTimeout(discard, PREFETCH_TTL_MS);
    }
  };
  document.addEventListener('pointerover', mayPrefetch, { passive: true });
  document.addEventListener('pointerdown', mayPrefetch, { passive: true });
  document.addEventListener(CHANGED_EVENT, discard);
}
