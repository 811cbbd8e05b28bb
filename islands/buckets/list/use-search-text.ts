import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { SEARCH_DEBOUNCE } from '../../../server/contract/limits.ts';
import { tidy } from './list-view.ts';

/**
 * The text of a search field whose meaning is kept elsewhere, in the URL. `onSettle` gets what was
 * typed once it has stood for 800 ms; when `settled` becomes another by itself, as Back makes it,
 * the field follows.
 */
export function useSearchText(settled: string, onSettle: (text: string) => void) {
  const [text, setText] = useState(settled);
  /** The last that both sides knew. */
  const agreed = useRef(settled);
  const settle = useEffectEvent((next: string) => {
    agreed.current = next;
    onSettle(next);
  });

  useEffect(() => {
    if (settled === agreed.current) return;
    agreed.current = settled;
    setText(settled);
  }, [settled]);

  useEffect(() => {
    const next = tidy(text);
    if (next === agreed.current) return;
    const timer = setTimeout(() => settle(next), SEARCH_DEBOUNCE);
    return () => clearTimeout(timer);
  }, [text]);

  return [text, setText] as const;
}
