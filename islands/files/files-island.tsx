import { useCallback, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { FilePageWire, FileWire } from '../../server/contract/wire.ts';
import { loadable, OnDemand, usePreload } from '../ui/on-demand.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { PageRouter } from '../ui/page-router.tsx';
import { openBy, useOpenItem } from '../ui/use-opened.ts';
import { type FileRules, InterruptedUploads, Uploads } from '../uploads/shared.ts';
import { useFileEvents } from './file-events.ts';
import { isSearch, layoutParamsOf, readView } from './file-filters.tsx';
import { FileList } from './file-list.tsx';
import { FolderList } from './folders/folder-list.tsx';
import type { FolderChange } from './folders/folder-menu.tsx';
import { NewFolder } from './folders/new-folder.tsx';
import { useFolderJob } from './folders/use-folder-job.ts';
import { useMoveFiles } from './moves/use-move.ts';
import { useRetryFile } from './retry-file.tsx';
import { loadTrash, TrashView } from './trash/trash-view.tsx';
import type { ZipSelection } from './zips/zip-dialog.tsx';

const PARAMETER = 'file';

const loadCopyDialog = loadable(async () => (await import('./copies/copy-dialog.tsx')).CopyDialog);
const loadDeleteDialog = loadable(async () => (await import('./delete-file.tsx')).DeleteDialog);
const loadFolderDialogs = loadable(
  async () => (await import('./folders/folder-dialogs.tsx')).FolderDialogs,
);
const loadMoveDialog = loadable(async () => (await import('./moves/move-dialog.tsx')).MoveDialog);
const loadZipDialog = loadable(async () => (await import('./zips/zip-dialog.tsx')).ZipDialog);

type Props = {
  bucketId: string;
  /** The server's public URL. */
  appUrl: string;
  /** For how many days the bucket keeps deleted files. */
  keptDays: number;
  /** Which files the bucket accepts. */
  rules: FileRules;
  /** The path and the query of the page's URL, for rendering on the server. */
  path: string;
  search: string;
  /** The page of files that the document was rendered with, and the call's parameters for it. */
  first: { page: FilePageWire; query: object };
};

/** A bucket's files, as a list with filters or by folder, which the page's URL says, and the upload buttons. */
export default function FilesIsland(props: Props) {
  return (
    <PageRouter path={props.path} search={props.search}>
      <Files {...props} />
    </PageRouter>
  );
}

function Files({ bucketId, appUrl, keptDays, rules, first }: Props) {
  const [params, setParams] = useSearchParams();
  const folder = params.get('folder');
  const view = readView(params);
  useFileEvents(bucketId);
  const listElement = useRef<HTMLDivElement>(null);
  const drawer = useOpenFile();
  const retry = useRetryFile(bucketId);
  const { mutate: move } = useMoveFiles(bucketId);
  const moveFiles = useCallback(
    (files: FileWire[], folder: string) => move({ files, folder }),
    [move],
  );
  const [filesToDelete, setFilesToDelete] = useState<FileWire[] | null>(null);
  const [filesToMove, setFilesToMove] = useState<FileWire[] | null>(null);
  const [folderChange, setFolderChange] = useState<FolderChange | null>(null);
  const [filesToCopy, setFilesToCopy] = useState<FileWire[] | null>(null);
  const [toZip, setToZip] = useState<ZipSelection | null>(null);
  const job = useFolderJob(bucketId, folder !== null);
  const shared = {
    bucketId,
    element: listElement,
    drawer,
    actions: {
      onDetails: openFile,
      onRetry: retry.mutate,
      onMove: setFilesToMove,
      onDropFiles: moveFiles,
      onDelete: setFilesToDelete,
      onCopy: setFilesToCopy,
      onZip: (files: FileWire[]) => setToZip({ ids: files.map(({ id }) => id) }),
      onFolderChange: (change: FolderChange) =>
        change.action === 'zip' ? setToZip({ folder: change.folder }) : setFolderChange(change),
    },
    onFolder: (path: string | null) =>
      setParams({ ...(path !== null && { folder: path }), ...layoutParamsOf(view) }),
  };

  const trash = { bucketId, keptDays, element: listElement };
  usePreload(loadTrash);

  return (
    <>
      <PageHead title="Files" text="The files uploaded in your bucket.">
        <div className="flex flex-wrap gap-2">
          {folder !== null && <NewFolder bucketId={bucketId} parent={folder} />}
          <Uploads bucketId={bucketId} folder={folder ?? ''} rules={rules} />
        </div>
      </PageHead>
      <InterruptedUploads bucketId={bucketId} after={listElement} />
      {params.has('trash') ? (
        <TrashView {...trash} onFolder={shared.onFolder} />
      ) : folder === null || isSearch(view) ? (
        <FileList {...shared} appUrl={appUrl} folder={folder} first={first} />
      ) : (
        <FolderList {...shared} folder={folder} job={job} />
      )}
      <OnDemand
        load={loadDeleteDialog}
        isOpen={filesToDelete !== null}
        props={{
          ...{ bucketId, files: filesToDelete, keptDays, after: listElement },
          onDelete: () => {
            drawer.close();
            setFilesToDelete(null);
          },
          onClose: () => setFilesToDelete(null),
        }}
      />
      <OnDemand
        load={loadMoveDialog}
        isOpen={filesToMove !== null}
        props={{
          ...{ bucketId, files: filesToMove, after: listElement },
          onClose: () => setFilesToMove(null),
        }}
      />
      <OnDemand
        load={loadCopyDialog}
        isOpen={filesToCopy !== null}
        props={{ bucketId, files: filesToCopy, onClose: () => setFilesToCopy(null) }}
      />
      <OnDemand
        load={loadZipDialog}
        isOpen={toZip !== null}
        props={{ bucketId, selection: toZip, onClose: () => setToZip(null) }}
      />
      <OnDemand
        load={loadFolderDialogs}
        isOpen={folderChange !== null}
        props={{
          ...{ bucketId, change: folderChange, keptDays, start: job.start, after: listElement },
          onClose: () => setFolderChange(null),
        }}
      />
    </>
  );
}

/** Opens the details of a file. */
const openFile = ({ id }: { id: string }) => openBy(PARAMETER, id);

/** Returns which file's details are open. */
function useOpenFile() {
  const { id, ...drawer } = useOpenItem(PARAMETER);
  return { fileId: id, ...drawer };
}
