import { type ReactNode, type RefObject, useState } from 'react';
import type { RemovedFileWire } from '../../../server/contract/wire.ts';
import { Button } from '../../ui/form/button.tsx';
import { PurgeManyDialog } from './trash-dialogs.tsx';
import { useBulkTrash } from './use-trash.ts';

type TrashSelection = {
  selected: ReadonlySet<string>;
  onSelect: (ids: string[], isSelected: boolean) => void;
  /** What can be done with the selected files; null where none are. */
  bar: ReactNode;
};

/** Returns which files of the trash are selected, and what can be done with them. */
export function useTrashSelection(
  bucketId: string,
  rows: RemovedFileWire[],
  after: RefObject<HTMLElement | null>,
): TrashSelection {
  const bulk = useBulkTrash(bucketId);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [toPurge, setToPurge] = useState<RemovedFileWire[] | null>(null);
  // A selected file can have left the list.
  const files = rows.filter(({ id }) => selected.has(id));
  const change = (action: 'restore' | 'purge', changed: RemovedFileWire[]) =>
    bulk.mutate({ files: changed, action }, { onSettled: () => setSelected(new Set()) });
  const onSelect = (ids: string[], isSelected: boolean) =>
    setSelected((before) => {
      const others = [...before].filter((id) => !ids.includes(id));
      return new Set(isSelected ? [...others, ...ids] : others);
    });
  const bar = files.length > 0 && (
    <div role="toolbar" aria-label="Selected files" className="ml-auto flex items-center gap-2">
      <p role="status" className="numbers font-medium">
        {files.length} selected
      </p>
      <Button pending={bulk.isPending} onClick={() => change('restore', files)}>
        Restore
      </Button>
      <Button className="text-error" disabled={bulk.isPending} onClick={() => setToPurge(files)}>
        Delete
      </Button>
      <PurgeManyDialog
        files={toPurge}
        after={after}
        onConfirm={(confirmed) => {
          change('purge', confirmed);
          setToPurge(null);
        }}
        onClose={() => setToPurge(null)}
      />
    </div>
  );
  return { selected, onSelect, bar: bar || null };
}
