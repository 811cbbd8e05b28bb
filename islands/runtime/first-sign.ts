/** The signs that somebody uses the page, before which nothing on it is opened. */
const SIGNS = ['pointermove', 'pointerdown', 'keydown'] as const;

/**
 * Calls `act` when the user first moves the pointer or presses a key: time to load what a page does not need until it
 * is used. Returns a function that stops waiting.
 */
export function onFirstSign(act: () => void): () => void {
  const waiting = new AbortController();
  const actOnce = () => {
    waiting.abort();
    act();
  };
  for (const sign of SIGNS)
    addEventListener(sign, actOnce, { signal: waiting.signal, passive: true });
  return () => waiting.abort();
}
