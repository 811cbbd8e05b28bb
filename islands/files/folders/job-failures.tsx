import { useState } from 'react';
import { count } from '../../../server/contract/units.ts';
import type { FolderJobWire } from '../../../server/contract/wire.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { Button } from '../../ui/form/button.tsx';

/** A button that shows which files a job has left, and why; nothing where it has left none. */
export function JobFailures({ job: { action, conflicts, failures } }: { job: FolderJobWire }) {
  const [isOpen, setOpen] = useState(false);
  if (failures.length === 0) return null;
  const verb = { move: 'moved', copy: 'copied', delete: 'deleted' }[action];
  return (
    <>
      <Button className="btn-sm shrink-0" onClick={() => setOpen(true)}>
        Show files
      </Button>
      <Dialog
        open={isOpen}
        title={`Files that were not ${verb}`}
        text={
          failures.length < conflicts
            ? `The first ${failures.length} of ${count(conflicts, 'file')}.`
            : `${count(conflicts, 'file')}.`
        }
        onClose={() => setOpen(false)}
      >
        <ul
          aria-label={`Files that were not ${verb}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys have to reach it
          tabIndex={0}
          className="max-h-[50dvh] divide-y divide-base-300 overflow-y-auto rounded border border-base-300"
        >
          {failures.map(({ path, error }) => (
            <li key={path} className="px-3 py-2">
              <p className="font-medium wrap-anywhere">{path}</p>
              <p className="text-pretty text-quiet">{error.message}</p>
            </li>
          ))}
        </ul>
        <div className="mt-5 flex justify-end">
          <Button onClick={() => setOpen(false)}>Close</Button>
        </div>
      </Dialog>
    </>
  );
}
