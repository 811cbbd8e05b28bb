import ChevronDown from 'lucide-react/icons/chevron-down';
import { type RefObject, useCallback, useId, useRef, useState } from 'react';
import { SHORTCUTS } from '../../../server/contract/shortcuts.ts';
import { formatCount } from '../../../server/contract/units.ts';
import { Button } from '../../ui/form/button.tsx';
import { totalPercent } from '../queue/progress.ts';
import { dismissUploads, stopUpload } from '../queue/upload-manager.ts';
import { hasEnded, type UploadListItem, uploads, useUploads } from '../upload-store.ts';
import { StopDialog } from './stop-dialog.tsx';
import { announcementOf, headOf, shownRows } from './tray-texts.ts';
import { UploadRow } from './upload-row.tsx';
import { useTraySpace } from './use-tray-space.ts';

/** Of several hundred uploads so many are shown, until the user asks for more. */
const SHOWN_ROWS = 50;
const WIDE = '(width >= 40rem)';

/** The uploads of this page, in the corner of a wide screen and at the foot of a narrow one. */
export function UploadTray() {
  const rows = useUploads();
  const [rowToStop, setRowToStop] = useState<UploadListItem | null>(null);
  const head = useRef<HTMLButtonElement>(null);
  const askToStop = useCallback((id: number) => {
    const row = uploads.rows.find((one) => one.id === id);
    if (row?.phase === 'waiting' && row.sent === 0) void stopUpload(id);
    else setRowToStop(row ?? null);
  }, []);
  return (
    <>
      {/* It is there before its text, or screen readers would not announce the first one. */}
      <p role="status" className="sr-only">
        {rows.length > 0 && announcementOf(rows)}
      </p>
      {rows.length > 0 && <Tray rows={rows} head={head} onStop={askToStop} />}
      {/* It outlives the row, because it moves the focus when it has closed. */}
      <StopDialog
        row={rows.find(({ id }) => id === rowToStop?.id) ?? null}
        after={head}
        onConfirm={(id) => {
          setRowToStop(null);
          void stopUpload(id);
        }}
        onClose={() => setRowToStop(null)}
      />
    </>
  );
}

function Tray({
  rows,
  head,
  onStop,
}: {
  rows: readonly UploadListItem[];
  head: RefObject<HTMLButtonElement | null>;
  onStop: (id: number) => void;
}) {
  // On a phone it would cover half of the page.
  const [isOpen, setOpen] = useState(() => matchMedia(WIDE).matches);
  const [limit, setLimit] = useState(SHOWN_ROWS);
  const element = useRef<HTMLElement>(null);
  const id = useId();
  useTraySpace(element, true);
  const dismiss = useCallback(
    (ids: number[]) => {
      dismissUploads(ids);
      // The button that was pressed is gone, with the last row even the tray.
      const main = document.getElementById('main');
      main?.setAttribute('tabindex', '-1');
      const next = uploads.rows.length > 0 ? head.current : main;
      next?.focus({ preventScroll: true });
    },
    [head],
  );
  const onDismiss = useCallback((one: number) => dismiss([one]), [dismiss]);
  const shown = shownRows(rows, limit);
  const ended = rows.filter(hasEnded);
  const isOver = ended.length === rows.length;
  return (
    <section
      ref={element}
      aria-label="Uploads"
      className="fixed inset-x-0 bottom-0 z-20 rounded-t-lg border border-base-300 bg-base-200 pb-[env(safe-area-inset-bottom)] text-sm shadow-2xl sm:right-4 sm:bottom-4 sm:left-auto sm:w-108 sm:rounded-lg sm:pb-0"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        event.stopPropagation();
        setOpen(false);
        head.current?.focus();
      }}
    >
      <div className="flex h-12 items-center pr-1">
        <h2 className="min-w-0 grow">
          <button
            ref={head}
            type="button"
            data-shortcut={SHORTCUTS.uploads.keys}
            className="flex h-12 w-full cursor-pointer items-center gap-2 rounded-lg pr-2 pl-3 text-left font-medium"
            aria-expanded={isOpen}
            aria-controls={id}
            title={isOpen ? 'Collapse (Esc)' : 'Expand'}
            onClick={({ currentTarget }) => {
              setOpen(!isOpen);
              currentTarget.focus();
            }}
          >
            <ChevronDown
              size={16}
              aria-hidden
              className={`shrink-0 ${isOpen ? '' : 'rotate-180'}`}
            />
            <span className="numbers truncate">{headOf(rows)}</span>
            {!isOver && (
              <span className="numbers ml-auto shrink-0 text-quiet">{totalPercent(rows)}%</span>
            )}
          </button>
        </h2>
        {ended.length > 0 && (
          <Button
            className="btn-ghost h-11 shrink-0 px-3"
            onClick={() => dismiss(ended.map((row) => row.id))}
          >
            Dismiss all
          </Button>
        )}
      </div>
      <div
        id={id}
        hidden={!isOpen}
        className="max-h-[min(20rem,50dvh)] overflow-y-auto border-t border-base-300"
      >
        <ul>
          {shown.map((row) => (
            <UploadRow key={row.id} row={row} onStop={onStop} onDismiss={onDismiss} />
          ))}
        </ul>
        {shown.length < rows.length && (
          <Button
            className="btn-ghost h-11 w-full rounded-t-none"
            onClick={() => setLimit(limit + SHOWN_ROWS)}
          >
            {formatCount(rows.length - shown.length)} more
          </Button>
        )}
      </div>
    </section>
  );
}
