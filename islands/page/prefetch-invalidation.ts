import { CHANGED_EVENT } from '../runtime/page-events.ts';

/** Browsers keep a prefetched page for five minutes: too long for pages that show what is now. */
const FRESH_MS = 10_000;
/** Rules that come back in the moment they went count as never gone. */
const PAUSE_MS = 100;

/** Forgets prefetched pages after ten seconds, and whenever something has been changed. */
export function invalidatePrefetches() {
  let timer = 0;
  const forget = () => {
    clearTimeout(timer);
    timer = 0;
    const rules = document.querySelector<HTMLScriptElement>('script[type=speculationrules]');
    if (!rules) return;
    const again = document.createElement('script');
    again.type = rules.type;
    again.nonce = rules.nonce;
    again.textContent = rules.textContent;
    rules.remove();
    setTimeout(() => document.head.append(again), PAUSE_MS);
  };
  const mayPrefetch = ({ target }: Event) => {
    if (timer === 0 && target instanceof Element && target.closest('a[href]')) {
      timer = window.setTimeout(forget, FRESH_MS);
    }
  };
  document.addEventListener('pointerover', mayPrefetch, { passive: true });
  document.addEventListener('pointerdown', mayPrefetch, { passive: true });
  document.addEventListener(CHANGED_EVENT, forget);
}
