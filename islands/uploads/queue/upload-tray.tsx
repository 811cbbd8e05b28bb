import ChevronDown from 'lucide-react/icons/chevron-down';
import { useId, useState } from 'react';
import { hasEnded, useUploads } from '../upload-store.ts';
import { UploadLine } from './upload-line.tsx';

/** The uploads that go on while no dialog shows them, in the corner of the page. */
export function UploadTray() {
  const [isOpen, setOpen] = useState(true);
  const id = useId();
  const rows = useUploads().filter(({ inBackground }) => inBackground);
  if (rows.length === 0) return null;
  const running = rows.filter((row) => !hasEnded(row)).length;
  const failed = rows.filter(({ phase }) => phase === 'failed').length;
  return (
    <section
      aria-label="Uploads in the background"
      className="fixed inset-x-4 bottom-4 z-20 rounded-lg border border-base-300 bg-base-200 shadow-2xl sm:right-auto sm:w-96"
    >
      <h2>
        <button
          type="button"
          className="flex h-10 w-full cursor-pointer items-center justify-between rounded-lg px-4 font-medium"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          <span className="numbers">{headOf(running, failed)}</span>
          <ChevronDown size={16} aria-hidden className={isOpen ? '' : 'rotate-180'} />
        </button>
      </h2>
      <ul id={id} hidden={!isOpen} className="max-h-64 overflow-y-auto px-4 pt-1 pb-4">
        {rows.map((row) => (
          <UploadLine key={row.id} row={row} />
        ))}
      </ul>
    </section>
  );
}

function headOf(running: number, failed: number): string {
  const head =
    running === 0 ? 'Uploads finished' : running === 1 ? '1 upload' : `${running} uploads`;
  return failed === 0 ? head : `${head} (${failed} failed)`;
}
