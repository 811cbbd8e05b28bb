import Plus from 'lucide-react/icons/plus';
import Search from 'lucide-react/icons/search';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { BUCKET_NAME_MAX } from '../../../server/contract/limits.ts';
import { MESSAGES } from '../../../server/contract/messages.ts';
import { count, formatCount } from '../../../server/contract/units.ts';
import { Spinner } from '../../ui/states.tsx';
import { BucketOptions, FIXED_HEIGHT_FROM, useOptions } from './bucket-options.tsx';
import { CreateBucket } from './create-bucket.tsx';

/**
 * The panel of the top bar's bucket button, with a combobox of all buckets and 'Create bucket'. The
 * `popovertarget` of the button opens it even before this script has loaded.
 * @param props.id the panel's id, as in the button's `popovertarget`
 * @param props.currentId the bucket of the page
 */
export default function BucketPickerIsland({
  id,
  currentId,
}: {
  id: string;
  currentId: string | null;
}) {
  const panel = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<PanelState>('wanted');
  const [isCreating, setCreating] = useState(false);

  useEffect(() => {
    if (panel.current?.matches(':popover-open')) setState('open');
  }, []);

  return (
    <>
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="dialog"
        aria-label="Select Bucket"
        className="menu-panel picker"
        // The 'toggle' event comes late, and tells of a closing and an opening that follow closely as of one.
        onBeforeToggle={({ newState }) => {
          if (newState === 'closed') setState('closed');
        }}
        onToggle={({ newState }) => setState(newState === 'open' ? 'open' : 'closed')}
        onBlur={({ currentTarget, relatedTarget }) => {
          if (!(relatedTarget instanceof Element) || currentTarget.contains(relatedTarget)) return;
          // The button closes its popover itself.
          if (!relatedTarget.matches(`[popovertarget="${id}"]`)) currentTarget.hidePopover();
        }}
      >
        <BucketCombobox currentId={currentId} state={state}>
          <button
            type="button"
            className="menu-item"
            onClick={() => {
              panel.current?.hidePopover();
              setCreating(true);
            }}
          >
            <Plus size={16} aria-hidden />
            Create bucket
          </button>
        </BucketCombobox>
      </div>
      <CreateBucket
        open={isCreating}
        onClose={() => setCreating(false)}
        onCreated={() => panel.current?.showPopover()}
      />
    </>
  );
}

/** 'wanted' is the state before the first opening, when the user points at the button. */
type PanelState = 'wanted' | 'open' | 'closed';

/**
 * A search field for buckets, as an ARIA combobox with a listbox. The input may contain text that was
 * typed before hydration. `children` stand above the list, where its loading does not move them.
 */
function BucketCombobox({
  currentId,
  state,
  children,
}: {
  currentId: string | null;
  state: PanelState;
  children: ReactNode;
}) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const idOf = (bucketId: string) => `${id}-${bucketId}`;
  const options = useOptions({ isNeeded: state !== 'closed', currentId, idOf });
  const { list, buckets, activeId, isShown, type } = options;
  const hasFailed = list.isError && buckets.length === 0;
  const isOpen = state === 'open';
  const isEmpty = isShown && buckets.length === 0;
  const firstPage = list.data?.pages[0]?.data.length;
  /** The row count of the last list, which keeps its height while the next one loads. */
  const rows = useRef(0);
  rows.current = firstPage ?? rows.current;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the search is reset when the panel opens or closes
  useEffect(() => {
    if (!input.current) return;
    if (state === 'closed') input.current.value = '';
    type(input.current.value);
  }, [state]);
  // The current bucket may be below the visible part of the list.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the list appears
  useEffect(() => {
    if (isOpen && isShown && activeId) {
      document.getElementById(idOf(activeId))?.scrollIntoView({ block: 'nearest' });
    }
  }, [isOpen, isShown]);

  return (
    <>
      <div className="mb-1 flex items-center gap-2 border-b border-base-300 px-2.5 pb-1">
        <Search size={16} aria-hidden className="shrink-0 text-quiet" />
        <input
          ref={input}
          type="text"
          role="combobox"
          aria-label="Search Bucket"
          aria-autocomplete="list"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={activeId ? idOf(activeId) : undefined}
          placeholder="Search Bucket"
          autoComplete="off"
          spellCheck={false}
          maxLength={BUCKET_NAME_MAX}
          // biome-ignore lint/a11y/noAutofocus: it is where the focus belongs when the panel opens
          autoFocus
          className="h-9 min-w-0 grow bg-transparent max-sm:h-10 text-sm outline-none placeholder:text-quiet"
          onInput={({ currentTarget }) => type(currentTarget.value)}
          onKeyDown={options.onKeyDown}
        />
        <span className="flex size-5 shrink-0 items-center">
          {isOpen && !hasFailed && (list.isFetching || !isShown) && <Spinner />}
        </span>
      </div>
      <div className="mb-1 border-b border-base-300 pb-1">{children}</div>
      <BucketOptions
        id={`${id}-list`}
        buckets={buckets}
        isTall={rows.current >= FIXED_HEIGHT_FROM && !hasFailed}
        isLoading={!list.data && !hasFailed}
        activeId={activeId}
        currentId={currentId}
        idOf={idOf}
        onActivate={options.activate}
        onNearEnd={() => {
          if (list.hasNextPage && !list.isFetching)
            void list.fetchNextPage({ cancelRefetch: false });
        }}
      />
      {(hasFailed || list.isFetchNextPageError) && (
        <div role="alert" className="px-2.5 py-3 text-center text-sm">
          <p>{MESSAGES.unexpected}</p>
          <button
            type="button"
            className="btn btn-sm mt-2"
            onClick={() => (hasFailed ? list.refetch() : list.fetchNextPage())}
          >
            Try again
          </button>
        </div>
      )}
      <p
        role="status"
        className={isEmpty ? 'px-2.5 py-6 text-center text-sm text-quiet' : 'sr-only'}
      >
        {isOpen && isShown && resultText(buckets.length, list.hasNextPage)}
      </p>
    </>
  );
}

function resultText(loaded: number, hasMore: boolean): string {
  if (loaded === 0) return MESSAGES.noBuckets;
  if (hasMore) return `The newest ${formatCount(loaded)} buckets`;
  return count(loaded, 'bucket');
}
