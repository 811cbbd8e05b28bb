import { type RefObject, useState } from 'react';
import type { RemovedFileWire } from '../../../server/contract/wire.ts';
import { ApiError } from '../../runtime/api-error.ts';
import { Button } from '../../ui/form/button.tsx';
import { PagedState } from '../../ui/paged-state.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { ViewToggles } from '../folders/view-toggles.tsx';
import { EmptyDialog, PurgeDialog, RenameDialog } from './trash-dialogs.tsx';
import { useTrashSelection } from './trash-selection.tsx';
import { TrashTable } from './trash-table.tsx';
import { useEmptyTrash, usePurge, useRestore, useTrash } from './use-trash.ts';

type Props = {
  bucketId: string;
  /** Gets the focus after a row has been removed. */
  element: RefObject<HTMLDivElement | null>;
  /** Shows a folder; null shows the list of all files. */
  onFolder: (folder: string | null) => void;
};

/** The deleted files of a bucket, which can be restored or deleted for good. */
export function TrashList({ bucketId, element, onFolder }: Props) {
  const list = useTrash(bucketId);
  const [isEmptying, setIsEmptying] = useState(false);
  const [toPurge, setToPurge] = useState<RemovedFileWire | null>(null);
  const restore = useRestore(bucketId);
  const purge = usePurge(bucketId);
  const empty = useEmptyTrash(bucketId);
  const isTaken = restore.error instanceof ApiError && restore.error.details.code === 'path-taken';
  const taken = isTaken ? (restore.variables?.file ?? null) : null;
  const { rows } = list;
  const { bar, ...selection } = useTrashSelection(bucketId, rows, element);
  return (
    <>
      <div className="mt-6 flex flex-wrap items-center gap-2">
        <ViewToggles value="trash" onFolder={onFolder} />
        {bar}
        {rows.length > 0 && bar === null && (
          <Button
            className="ml-auto text-error"
            pending={empty.isPending}
            onClick={() => setIsEmptying(true)}
          >
            Empty trash
          </Button>
        )}
      </div>
      <div ref={element} tabIndex={-1} aria-busy={list.isPending} className="mt-4 outline-none">
        <PagedState
          list={list}
          count={rows.length}
          failure={
            <ErrorState tried="The trash could not be loaded." onRetry={() => list.refetch()} />
          }
          empty={
            <EmptyState
              title="The trash is empty."
              text="Deleted files are kept here if the bucket’s settings say so."
            />
          }
        >
          {(after) => (
            <TrashTable
              rows={rows}
              {...selection}
              restoring={restore.isPending ? (restore.variables?.file.id ?? null) : null}
              onRestore={(file) => restore.mutate({ file, isRenamed: false })}
              onPurge={setToPurge}
            >
              {after}
            </TrashTable>
          )}
        </PagedState>
      </div>
      <PurgeDialog
        file={toPurge}
        after={element}
        onConfirm={(file) => {
          purge.mutate(file);
          setToPurge(null);
        }}
        onClose={() => setToPurge(null)}
      />
      <EmptyDialog
        open={isEmptying}
        after={element}
        onConfirm={() => {
          empty.mutate();
          setIsEmptying(false);
        }}
        onClose={() => setIsEmptying(false)}
      />
      <RenameDialog
        file={taken}
        after={element}
        onConfirm={(file) => restore.mutate({ file, isRenamed: true })}
        onClose={() => restore.reset()}
      />
    </>
  );
}
