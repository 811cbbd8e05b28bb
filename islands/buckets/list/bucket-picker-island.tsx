import Plus from 'lucide-react/icons/plus';
import { useEffect, useRef, useState } from 'react';
import { BucketCombobox, type PanelState } from './bucket-combobox.tsx';
import { CreateBucket } from './create-bucket.tsx';

/**
 * The panel under the bar's bucket button: a combobox over all buckets, and 'Create bucket'. The
 * browser opens and closes it, by the button's `popovertarget`, before this script is there.
 * @param props.id what the button calls it
 * @param props.currentId the bucket that the page is about
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
        onToggle={({ newState }) => setState(newState === 'open' ? 'open' : 'closed')}
        onBlur={({ currentTarget, relatedTarget }) => {
          if (!(relatedTarget instanceof Element) || currentTarget.contains(relatedTarget)) return;
          // The button closes it itself.
          if (!relatedTarget.matches(`[popovertarget="${id}"]`)) currentTarget.hidePopover();
        }}
      >
        <BucketCombobox currentId={currentId} state={state} />
        <div className="mt-1 border-t border-base-300 pt-1">
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
        </div>
      </div>
      <CreateBucket
        open={isCreating}
        onClose={() => setCreating(false)}
        onCreated={() => panel.current?.showPopover()}
      />
    </>
  );
}
