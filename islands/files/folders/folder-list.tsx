import { EmptyState } from '../../ui/states.tsx';
import { ListBody, type ListProps } from '../list-body.tsx';
import { Breadcrumbs } from './breadcrumbs.tsx';
import { FoldersToggle } from './folders-toggle.tsx';
import { useFolder } from './use-folder.ts';

/** The files and folders in a folder of a bucket, by name. */
export function FolderList({
  folder,
  ...shared
}: ListProps & {
  /** It ends in '/'; '' for the top. */
  folder: string;
}) {
  const list = useFolder(shared.bucketId, folder);
  return (
    <>
      <div className="mt-6 flex flex-wrap items-center justify-between gap-2">
        <Breadcrumbs folder={folder} onFolder={shared.onFolder} />
        <FoldersToggle isOn onFolder={shared.onFolder} />
      </div>
      <ListBody
        {...shared}
        list={list}
        rows={list.rows}
        listKey={folder}
        empty={
          <EmptyState
            title="This folder is empty."
            text="Files that you upload now are stored in it."
          />
        }
      />
    </>
  );
}
