import { type RefObject, useState } from 'react';
import { settingsPath } from '../../../server/contract/buckets/settings-sections.ts';
import { count } from '../../../server/contract/units.ts';
import type { RemovedFileWire } from '../../../server/contract/wire.ts';
import { Button } from '../../ui/form/button.tsx';
import { PagedState } from '../../ui/paged-state.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { EmptyDialog, PurgeDialog, RenameDialog } from './trash-dialogs.tsx';
import { TrashTable } from './trash-table.tsx';
import { useEmptyTrash, useTrash, useTrashChange } from './use-trash.ts';

type Props = {
  bucketId: string;
  /** For how many days the bucket keeps deleted files; 0 where it keeps none. */
  keptDays: number;
  /** Gets the focus after a row has been removed. */
  element: RefObject<HTMLDivElement | null>;
};

/**
 * The deleted files of a bucket, which can be restored or deleted for good, below the button that empties the trash.
 */
export function TrashList({ bucketId, keptDays, element }: Props) {
  const list = useTrash(bucketId);
  const { rows } = list;
  const [isEmptying, setIsEmptying] = useState(false);
  const [toPurge, setToPurge] = useState<RemovedFileWire[] | null>(null);
  const [taken, setTaken] = useState<RemovedFileWire[] | null>(null);
  const change = useTrashChange<RemovedFileWire>(bucketId, { taken: setTaken });
  const empty = useEmptyTrash(bucketId);
  return (
    <>
      {rows.length > 0 && (
        <Button
          className="ml-auto text-error"
          pending={empty.isPending}
          onClick={() => setIsEmptying(true)}
        >
          Empty trash
        </Button>
      )}
      <div
        ref={element}
        tabIndex={-1}
        aria-busy={list.isPending}
        className="mt-2 w-full min-w-0 outline-none"
      >
        <PagedState
          list={list}
          count={rows.length}
          failure={
            <ErrorState tried="The trash could not be loaded." onRetry={() => list.refetch()} />
          }
          empty={<EmptyTrash bucketId={bucketId} keptDays={keptDays} />}
        >
          {(after) => (
            <TrashTable
              rows={rows}
              isComplete={!list.hasNextPage}
              onVisibleRows={list.onVisibleRows}
              changing={change.isPending ? change.variables : null}
              onRestore={(files) => change.mutate({ files, action: 'restore' })}
              onPurge={setToPurge}
            >
              {after}
            </TrashTable>
          )}
        </PagedState>
      </div>
      <PurgeDialog
        files={toPurge}
        after={element}
        onConfirm={(files) => {
          change.mutate({ files, action: 'purge' });
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
        files={taken}
        after={element}
        onConfirm={(files) => {
          change.mutate({ files, action: 'restore', isRenamed: true });
          setTaken(null);
        }}
        onClose={() => setTaken(null)}
      />
    </>
  );
}

/** What is in place of an empty trash. A bucket that keeps nothing says so, as the trash would stay empty. */
function EmptyTrash({ bucketId, keptDays }: Pick<Props, 'bucketId' | 'keptDays'>) {
  if (keptDays > 0) {
    const text = `Deleted files stay here for ${count(keptDays, 'day')}.`;
    return <EmptyState title="The trash is empty." text={text} />;
  }
  return (
    <EmptyState
      title="This bucket keeps no deleted files."
      text="Files are deleted permanently right away. Turn on the trash in the settings to keep them for up to 90 days."
    >
      <a className="btn" href={settingsPath(bucketId, 'retention')}>
        Open settings
      </a>
    </EmptyState>
  );
}
