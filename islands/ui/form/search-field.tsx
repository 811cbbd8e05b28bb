import Search from 'lucide-react/icons/search';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { BUCKET_NAME_MAX, SEARCH_DEBOUNCE_MS } from '../../../server/contract/limits.ts';
import { SHORTCUTS } from '../../../server/contract/shortcuts.ts';
import { Spinner } from '../states.tsx';

/** A field that filters a list. The '/' key focuses it. */
export function SearchField({
  label,
  placeholder,
  maxLength,
  value,
  isLoading,
  className = 'w-full',
  onValue,
}: {
  label: string;
  placeholder: string;
  maxLength: number;
  value: string;
  isLoading: boolean;
  /** The width on a phone, where it has a line of its own by default. */
  className?: string;
  onValue: (value: string) => void;
}) {
  return (
    <label className={`input ${className} sm:w-auto sm:max-w-80 sm:grow sm:basis-32`}>
      <Search size={16} aria-hidden className="shrink-0 text-quiet" />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        data-shortcut={SHORTCUTS.search.keys}
        maxLength={maxLength}
        value={value}
        onChange={(event) => onValue(event.target.value)}
      />
      {isLoading ? (
        <Spinner />
      ) : (
        <span aria-hidden="true" className="key max-sm:hidden pointer-coarse:hidden">
          {SHORTCUTS.search.keys}
        </span>
      )}
    </label>
  );
}

/**
 * The text of a search field whose search is in the URL. `onSettle` gets the typed text after 800 ms
 * without a change. If `searchText` changes without the field, as on Back, the field changes with it.
 */
export function useSearchText(searchText: string, onSettle: (text: string) => void) {
  const [text, setText] = useState(searchText);
  /** The last search that field and URL had in common. */
  const agreed = useRef(searchText);
  const settle = useEffectEvent((next: string) => {
    agreed.current = next;
    onSettle(next);
  });

  useEffect(() => {
    if (searchText === agreed.current) return;
    agreed.current = searchText;
    setText(searchText);
  }, [searchText]);

  useEffect(() => {
    const next = normalizeSearch(text);
    if (next === agreed.current) return;
    const timer = setTimeout(() => settle(next), SEARCH_DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);

  return [text, setText] as const;
}

/** Returns a search as the URL has it: without control characters and extra spaces. */
export const normalizeSearch = (text: string) =>
  text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, BUCKET_NAME_MAX)
    .trimEnd();

/** Returns a search as the server expects it: its words joined by '&'. */
export const toSearchParam = (text: string) => normalizeSearch(text).replaceAll(' ', '&');
