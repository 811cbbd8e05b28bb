import { type KeyboardEvent, useEffect, useEffectEvent, useState } from 'react';
import { nextOption } from './next-option.ts';
import { useBuckets } from './use-buckets.ts';
import { useTypedWords } from './use-typed-words.ts';

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
