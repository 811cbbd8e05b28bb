import { useEffect, useState } from 'react';
import { SECOND } from '../../server/contract/limits.ts';

const SHOWN_MS = 10 * SECOND;

/** Whether a secret is shown: for ten seconds, once somebody asks for it. */
export function useRevealed() {
  const [revealed, setRevealed] = useState(false);
  useEffect(() => {
    if (!revealed) return;
    const timer = setTimeout(() => setRevealed(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [revealed]);
  return { revealed, toggle: () => setRevealed(!revealed) };
}
