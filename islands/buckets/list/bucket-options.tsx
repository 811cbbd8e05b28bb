import Check from 'lucide-react/icons/check';
import { type KeyboardEvent, useEffect, useEffectEvent, useState } from 'react';
import { SEARCH_DEBOUNCE_MS } from '../../../server/contract/limits.ts';
import { formatBytes } from '../../../server/contract/units.ts';
import type { BucketWire } from '../../../server/contract/wire.ts';
import { toSearchParam } from '../../ui/form/search-field.tsx';
import { useBuckets } from './bucket-query.ts';

/** How many rows Page Up and Page Down move. */
const PAGE_ROWS = 8;

/** How close to the end, in pixels, scrolling loads the next page. */
const LOAD_MORE_DISTANCE = 240;
/** With at least this many buckets on the first page, the list has a fixed height. */
export const FIXED_HEIGHT_FROM = 10;

/** The list of a combobox, whose input keeps the focus. The options are links, which open in new tabs too. */
export function BucketOptions({
  id,
  buckets,
  isTall,
  isLoading,
  activeId,
  currentId,
  idOf,
  onActivate,
  onNearEnd,
}: {
  id: string;
  buckets: BucketWire[];
  isTall: boolean;
  isLoading: boolean;
  activeId: string | null;
  currentId: string | null;
  idOf: (bucketId: string) => string;
  onActivate: (bucketId: string) => void;
  onNearEnd: () => void;
}) {
  const isAmbiguous = ambiguousNames(buckets);
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Buckets"
      aria-busy={isLoading}
      tabIndex={-1}
      className={`overflow-y-auto overscroll-contain ${isTall ? 'h-72' : 'max-h-72'}`}
      onScroll={({ currentTarget: list }) => {
        if (list.scrollHeight - list.scrollTop - list.clientHeight < LOAD_MORE_DISTANCE)
          onNearEnd();
      }}
    >
      {isLoading && <OptionShapes />}
      {buckets.map((bucket) => (
        <a
          key={bucket.id}
          id={idOf(bucket.id)}
          role="option"
          aria-selected={bucket.id === currentId}
          data-active={bucket.id === activeId || undefined}
          tabIndex={-1}
          href={`/dashboard/bucket/${bucket.id}`}
          className="picker-option"
          onPointerMove={() => {
            if (bucket.id !== activeId) onActivate(bucket.id);
          }}
        >
          <span className="min-w-0 grow truncate">{bucket.name}</span>
          {isAmbiguous(bucket) && (
            <code className="shrink-0 font-mono text-xs font-normal text-quiet">
              …{bucket.id.slice(-ID_END)}
            </code>
          )}
          <span className="numbers shrink-0 text-xs font-normal text-quiet">
            {formatBytes(bucket.usage)}
          </span>
          <span className="size-4 shrink-0 text-primary">
            {bucket.id === currentId && <Check size={16} aria-hidden />}
          </span>
        </a>
      ))}
    </div>
  );
}

/** How many characters of a bucket's id tell it from others of its name. The end of an id is random. */
const ID_END = 6;

/** Returns whether several of the buckets look alike by their name, which need not be unique. */
export function ambiguousNames(buckets: { name: string }[]): (bucket: { name: string }) => boolean {
  const keyOf = ({ name }: { name: string }) => name.trim().toLowerCase();
  const counts = new Map<string, number>();
  for (const bucket of buckets) counts.set(keyOf(bucket), (counts.get(keyOf(bucket)) ?? 0) + 1);
  return (bucket) => (counts.get(keyOf(bucket)) ?? 0) > 1;
}

const SHAPES = ['w-2/5', 'w-3/5', 'w-1/2'];

/** The placeholders of options that are being loaded. */
const OptionShapes = () =>
  SHAPES.map((width) => (
    <div key={width} aria-hidden="true" className="flex h-9 items-center px-2.5">
      <span className={`skeleton h-3.5 ${width}`} />
    </div>
  ));

/**
 * The buckets of the combobox, and the active one, which Enter selects. If nothing is typed, that is
 * the current bucket if the list has it, and otherwise the first one.
 * @param options.isNeeded false while the panel is closed
 * @param options.idOf returns the id of an option's element
 */
export function useOptions(options: {
  isNeeded: boolean;
  currentId: string | null;
  idOf: (bucketId: string) => string;
}) {
  const { isNeeded, currentId, idOf } = options;
  const [text, setText] = useState('');
  const [highlightedId, setHighlightedId] = useState<string | null>(null);
  /** Enter was pressed before the list of the typed text was loaded. */
  const [isEnterPending, setEnterPending] = useState(false);
  const { words, isSettled, settle } = useTypedWords(text);
  const list = useBuckets({ name: words, from: '', to: '' }, { enabled: isNeeded });
  const buckets = list.data?.pages.flatMap((page) => page.data) ?? [];
  // A search looks through a bounded number of buckets for each page, and may find none in them.
  const isEmptyPage = buckets.length === 0 && list.hasNextPage;
  const isShown = isSettled && list.data !== undefined && !isEmptyPage;
  const { fetchNextPage, isFetching, isFetchNextPageError } = list;
  useEffect(() => {
    if (isEmptyPage && !isFetching && !isFetchNextPageError) void fetchNextPage();
  }, [isEmptyPage, isFetching, isFetchNextPageError, fetchNextPage]);
  const find = (id: string | null) => buckets.find((bucket) => bucket.id === id)?.id;
  const first = (text === '' && find(currentId)) || buckets[0]?.id;
  const activeId = isShown ? (find(highlightedId) ?? first ?? null) : null;
  const elementOf = (id: string) => document.getElementById(idOf(id));

  const choose = useEffectEvent(() => {
    setEnterPending(false);
    if (activeId) elementOf(activeId)?.click();
  });
  useEffect(() => {
    if (isEnterPending && isShown) choose();
  }, [isEnterPending, isShown]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      settle();
      setEnterPending(true);
      return;
    }
    if (event.shiftKey || !isShown) return;
    const at = buckets.findIndex(({ id }) => id === activeId);
    const next = nextOption(event.key, at, buckets.length, list.hasNextPage);
    const id = next === null ? undefined : buckets[next]?.id;
    if (!id) return;
    event.preventDefault();
    setHighlightedId(id);
    elementOf(id)?.scrollIntoView({ block: 'nearest' });
  };

  return {
    list,
    buckets,
    isShown,
    activeId,
    activate: setHighlightedId,
    onKeyDown,
    type(typed: string) {
      setText(typed);
      setHighlightedId(null);
      setEnterPending(false);
    },
  };
}

/**
 * Returns the search for a typed text, after 800 ms without a change or when `settle` is called.
 * `isSettled` is false before that, as the list still belongs to the last search.
 */
function useTypedWords(text: string) {
  const typed = toSearchParam(text);
  const [words, setWords] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setWords(typed), typed === '' ? 0 : SEARCH_DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return { words, isSettled: words === typed, settle: () => setWords(typed) };
}

/**
 * Returns the option that a key moves to, as in the ARIA listbox pattern, or null for other keys. Up
 * from the first option moves to the last. Down from the last moves to the first, unless there are
 * more to load.
 * @param at the index of the active option, or -1
 */
export function nextOption(key: string, at: number, count: number, hasMore: boolean) {
  if (count === 0) return null;
  const last = count - 1;
  switch (key) {
    case 'ArrowDown':
      return at < last ? at + 1 : hasMore ? last : 0;
    case 'ArrowUp':
      return at > 0 ? at - 1 : last;
    case 'PageDown':
      return Math.min(at + PAGE_ROWS, last);
    case 'PageUp':
      return Math.max(at - PAGE_ROWS, 0);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return null;
  }
}
