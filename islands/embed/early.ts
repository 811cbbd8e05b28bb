import { SECOND } from '../../server/contract/limits.ts';

const LOOK_EVERY = 5 * SECOND;

/**
 * The video plays in one size while the others are made. Looks now and then whether they have come;
 * then the source takes them in. It ends too when the address leads nowhere any more.
 */
export function followSizes(url: string, source: { reload(): void }) {
  const timer = setInterval(async () => {
    if (document.hidden) return;
    // Without an answer there may be one the next time.
    const answer = await fetch(url, { cache: 'no-cache' }).catch(() => null);
    if (!answer || answer.status >= 500) return;
    const sizes = answer.ok ? sizesIn(await answer.text()) : 0;
    if (sizes === 1) return;
    clearInterval(timer);
    if (sizes > 1) source.reload();
  }, LOOK_EVERY);
}

/** How many sizes a master playlist names. */
export const sizesIn = (master: string): number =>
  new Set(master.match(/RESOLUTION=\d+x\d+/g)).size;
