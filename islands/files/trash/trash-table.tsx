import type { ReactNode } from 'react';
import { formatBytes } from '../../../server/contract/units.ts';
import type { RemovedFileWire } from '../../../server/contract/wire.ts';
import { Time } from '../../ui/date/time.tsx';
import { Button } from '../../ui/form/button.tsx';

const head = 'h-10 border-b border-base-300 px-2.5 text-xs font-medium text-quiet';
/** Below 768 px a row is a card, and each cell a line with the name of its column. */
const cell =
  'px-2.5 py-2 max-md:flex max-md:justify-between max-md:gap-4 max-md:py-1 max-md:before:shrink-0 max-md:before:text-quiet max-md:before:content-[attr(data-label)]';

/** The deleted files as a table, or as cards on narrow screens. */
export function TrashTable({
  rows,
  restoring,
  selected,
  onSelect,
  onRestore,
  onPurge,
  children,
}: {
  rows: RemovedFileWire[];
  /** The id of the file that is being restored. */
  restoring: string | null;
  selected: ReadonlySet<string>;
  onSelect: (ids: string[], isSelected: boolean) => void;
  onRestore: (file: RemovedFileWire) => void;
  onPurge: (file: RemovedFileWire) => void;
  children: ReactNode;
}) {
  return (
    <section aria-label="Deleted files" className="card">
      <table className="w-full table-fixed border-separate border-spacing-0 text-left max-md:block">
        <thead className="max-md:hidden">
          <tr>
            <th className={`${head} w-10`}>
              <input
                type="checkbox"
                aria-label="Select all files"
                className="checkbox checkbox-sm align-middle"
                checked={rows.every(({ id }) => selected.has(id))}
                onChange={({ target }) =>
                  onSelect(
                    rows.map(({ id }) => id),
                    target.checked,
                  )
                }
              />
            </th>
            <th className={head}>Path</th>
            <th className={`${head} w-24 text-right`}>Size</th>
            <th className={`${head} w-37 text-right`}>Deleted at</th>
            <th className={`${head} w-32 text-right`}>Kept until</th>
            <th className={`${head} w-44`}>
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody className="max-md:block">
          {rows.map((file) => (
            <tr
              key={file.id}
              className="max-md:block max-md:border-t max-md:border-base-300 max-md:py-2 max-md:first:border-t-0 md:h-10 md:not-first:*:border-t md:*:border-base-300"
            >
              <td className="px-2.5 py-2 max-md:float-left">
                <input
                  type="checkbox"
                  aria-label={`Select ${file.path}`}
                  className="checkbox checkbox-sm align-middle"
                  checked={selected.has(file.id)}
                  onChange={({ target }) => onSelect([file.id], target.checked)}
                />
              </td>
              <td className="px-2.5 py-2 font-medium max-md:block md:truncate" title={file.path}>
                <span className="wrap-anywhere">{file.path}</span>
              </td>
              <td className={`${cell} numbers max-md:clear-left md:text-right`} data-label="Size">
                {formatBytes(file.size)}
              </td>
              <td className={`${cell} md:text-right`} data-label="Deleted at">
                <Time iso={file.removed_at} withTime />
              </td>
              <td className={`${cell} md:text-right`} data-label="Kept until">
                {file.delete_at && <Time iso={file.delete_at} />}
              </td>
              <td className="px-1.5 py-1 text-right whitespace-nowrap max-md:block">
                <Button
                  className="btn-sm btn-ghost"
                  aria-label={`Restore ${file.path}`}
                  pending={restoring === file.id}
                  onClick={() => onRestore(file)}
                >
                  Restore
                </Button>
                <Button
                  className="btn-sm btn-ghost text-error"
                  aria-label={`Delete ${file.path} permanently`}
                  onClick={() => onPurge(file)}
                >
                  Delete
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {children}
    </section>
  );
}
