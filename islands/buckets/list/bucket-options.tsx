import Check from 'lucide-react/icons/check';
import { type KeyboardEvent, useEffect, useEffectEvent, useState } from 'react';
import { SEARCH_DEBOUNCE } from '../../../server/contract/limits.ts';
import { formatBytes } from '../../../server/contract/units.ts';
import type { BucketWire } from '../../../server/contract/wire.ts';
import { toSearchParam } from '../../ui/form/search-field.tsx';
import { useBuckets } from './bucket-query.ts';

/** Rows that Page Up and Page Down go over. */
const PAGE = 8;

/** So near to its end the list asks for more, in pixels. */
const NEAR = 240;
/** From so many on, the list's height stays the same whatever is found. */
export const FIXED_FROM = 10;

/** The list of a combobox, whose input keeps the focus. The options are links, for a second tab too. */
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
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Buckets"
      aria-busy={isLoading}
      tabIndex={-1}
      className={`overflow-y-auto overscroll-contain ${isTall ? 'h-72' : 'max-h-72'}`}
      onScroll={({ currentTarget: list }) => {
        if (list.scrollHeight - list.scrollTop - list.clientHeight < NEAR) onNearEnd();
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

const SHAPES = ['w-2/5', 'w-3/5', 'w-1/2'];

/** What stands where options will be. */
const OptionShapes = () =>
  SHAPES.map((width) => (
    <div key={width} aria-hidden="true" className="flex h-9 items-center px-2.5">
      <span className={`skeleton h-3.5 ${width}`} />
    </div>
  ));

/**
 * The buckets to choose from and the one that Enter would choose. With nothing typed that is the
 * current one, where the list has it; else the first.
 * @param options.isNeeded false while nobody looks at them
 * @param options.idOf the id of an option's element
 */
export function useOptions(options: {
  isNeeded: boolean;
  currentId: string | null;
  idOf: (bucketId: string) => string;
}) {
  const { isNeeded, currentId, idOf } = options;
  const [text, setText] = useState('');
  const [moved, setMoved] = useState<string | null>(null);
  /** Enter was pressed before the list was that of what is typed. */
  const [isHurried, setHurried] = useState(false);
  const { words, isSettled, settle } = useTypedWords(text);
  const list = useBuckets({ name: words, from: '', to: '' }, { enabled: isNeeded });
  const buckets = list.data?.pages.flatMap((page) => page.data) ?? [];
  const isShown = isSettled && list.data !== undefined;
  const find = (id: string | null) => buckets.find((bucket) => bucket.id === id)?.id;
  const first = (text === '' && find(currentId)) || buckets[0]?.id;
  const activeId = isShown ? (find(moved) ?? first ?? null) : null;
  const elementOf = (id: string) => document.getElementById(idOf(id));

  const choose = useEffectEvent(() => {
    setHurried(false);
    if (activeId) elementOf(activeId)?.click();
  });
  useEffect(() => {
    if (isHurried && isShown) choose();
  }, [isHurried, isShown]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      settle();
      setHurried(true);
      return;
    }
    if (event.shiftKey || !isShown) return;
    const at = buckets.findIndex(({ id }) => id === activeId);
    const next = nextOption(event.key, at, buckets.length, list.hasNextPage);
    const id = next === null ? undefined : buckets[next]?.id;
    if (!id) return;
    event.preventDefault();
    setMoved(id);
    elementOf(id)?.scrollIntoView({ block: 'nearest' });
  };

  return {
    list,
    buckets,
    isShown,
    activeId,
    activate: setMoved,
    onKeyDown,
    type(typed: string) {
      setText(typed);
      setMoved(null);
      setHurried(false);
    },
  };
}

/**
 * The words of what is typed, once it has stood for 800 ms, or at once when `settle` is called.
 * `isSettled` is false in between: what is shown does not yet belong to what is typed.
 */
function useTypedWords(text: string) {
  const typed = toSearchParam(text);
  const [words, setWords] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setWords(typed), typed === '' ? 0 : SEARCH_DEBOUNCE);
    return () => clearTimeout(timer);
  }, [typed]);
  return { words, isSettled: words === typed, settle: () => setWords(typed) };
}

/**
 * Where a key leads in a list of options, as the ARIA listbox pattern has it; null where it is no
 * key of a list. Up from the first leads to the last; down from the last leads to the first only
 * where there is no more to come.
 * @param at the active option's place, -1 for none
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
      return Math.min(at + PAGE, last);
    case 'PageUp':
      return Math.max(at - PAGE, 0);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return null;
  }
}
