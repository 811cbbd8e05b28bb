import { useEffect, useState } from 'react';
import { SEARCH_DEBOUNCE } from '../../../server/contract/limits.ts';
import { wordsOf } from './list-view.ts';

/**
 * The words of what is typed, once it has stood for 800 ms, or at once when `settle` is called.
 * `isSettled` is false in between: what is shown does not yet belong to what is typed.
 */
export function useTypedWords(text: string) {
  const typed = wordsOf(text);
  const [words, setWords] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setWords(typed), typed === '' ? 0 : SEARCH_DEBOUNCE);
    return () => clearTimeout(timer);
  }, [typed]);
  return { words, isSettled: words === typed, settle: () => setWords(typed) };
}
