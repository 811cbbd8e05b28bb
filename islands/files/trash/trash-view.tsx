import type { ComponentProps } from 'react';
import { LazyPart, loadable } from '../../ui/on-demand.tsx';
import { ErrorState, Spinner } from '../../ui/states.tsx';
import { ViewToggles } from '../folders/view-toggles.tsx';

/** Loads the trash, which few visits to the page need. */
export const loadTrash = loadable(async () => (await import('./trash-list.tsx')).TrashList);

/** The trash of a bucket, beside what leads back to the files. */
export function TrashView({
  onFolder,
  ...list
}: ComponentProps<NonNullable<typeof loadTrash.loaded>> & {
  /** Shows a folder; null shows the list of all files. */
  onFolder: (folder: string | null) => void;
}) {
  return (
    <div className="mt-6 flex flex-wrap items-center gap-2">
      <ViewToggles value="trash" onFolder={onFolder} />
      <LazyPart
        load={loadTrash}
        props={list}
        waiting={
          <div className="mt-2 grid h-80 w-full place-items-center">
            <Spinner />
          </div>
        }
        failure={(retry) => (
          <div className="mt-2 w-full">
            <ErrorState tried="The trash could not be loaded." {...retry} />
          </div>
        )}
      />
    </div>
  );
}
