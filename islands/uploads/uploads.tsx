import { useQueryClient } from '@tanstack/react-query';
import Upload from 'lucide-react/icons/upload';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { onFirstSign } from '../runtime/first-sign.ts';
import { notify } from '../runtime/notify.ts';
import { UPLOADS_EVENT } from '../runtime/page-events.ts';
import { loadable, OnDemand } from '../ui/on-demand.tsx';
import { type AddDialog, UploadButton } from './dialogs/upload-button.tsx';
import type { FileRules } from './dialogs/upload-rules.ts';
import { dialogFor, type UploadKind } from './file-kinds.ts';
import { filesKey } from './files-key.ts';
import {
  droppedFolders,
  filesIn,
  MAX_DROPPED_FILES,
  TooManyFilesError,
} from './folders/dropped-files.ts';
import { relativeFolderOf } from './folders/relative-folder.ts';
import { keepDroppedHandles } from './resume/pick-files.ts';

const NOTHING: File[] = [];

const loadFileDialog = loadable(async () => (await import('./dialogs/file-dialog.tsx')).FileDialog);
const loadImageDialog = loadable(
  async () => (await import('./dialogs/image-dialog.tsx')).ImageDialog,
);
const loadS3ImportDialog = loadable(
  async () => (await import('./imports/s3-import-dialog.tsx')).S3ImportDialog,
);
const loadUrlDialog = loadable(async () => (await import('./imports/url-dialog.tsx')).UrlDialog);
const loadVideoDialog = loadable(
  async () => (await import('./dialogs/video-dialog.tsx')).VideoDialog,
);

/** Lets the user add files to a folder of a bucket, by button or by dropping them, and shows the uploads. */
export function Uploads({
  bucketId,
  folder,
  rules,
}: {
  bucketId: string;
  folder: string;
  /** What the bucket accepts. */
  rules: FileRules;
}) {
  const client = useQueryClient();
  const [open, setOpen] = useState<AddDialog | null>(null);
  const [dropped, setDropped] = useState<{ kind: UploadKind; files: File[] } | null>(null);
  useEffect(() => onFirstSign(() => document.dispatchEvent(new Event(UPLOADS_EVENT))), []);

  const take = (files: File[]) => {
    const isFolder = files.some((file) => relativeFolderOf(file) !== '');
    const kind = open === 'file' || isFolder ? 'file' : dialogFor(files);
    if (!kind) return;
    if (open ? open !== kind : document.querySelector('dialog[open]')) {
      notify.error('Close the open dialog first.');
    } else {
      setOpen(kind);
      setDropped({ kind, files });
    }
  };
  const common = (kind: AddDialog) => ({
    bucketId,
    folder,
    rules,
    open: open === kind,
    // The browser reports that a dialog has closed only later. The other one may be open by then.
    onClose: () => setOpen((current) => (current === kind ? null : current)),
    onChange: () => client.invalidateQueries({ queryKey: filesKey(bucketId) }),
  });
  const dialog = (kind: UploadKind) => ({
    ...common(kind),
    dropped: dropped?.kind === kind ? dropped.files : NOTHING,
  });

  return (
    <>
      <UploadButton onSelect={setOpen} />
      <OnDemand load={loadImageDialog} isOpen={open === 'image'} props={dialog('image')} />
      <OnDemand load={loadVideoDialog} isOpen={open === 'video'} props={dialog('video')} />
      <OnDemand load={loadFileDialog} isOpen={open === 'file'} props={dialog('file')} />
      <OnDemand load={loadUrlDialog} isOpen={open === 'url'} props={common('url')} />
      <OnDemand load={loadS3ImportDialog} isOpen={open === 's3'} props={common('s3')} />
      <DropZone onFiles={take} />
    </>
  );
}

const fail = (error: unknown) =>
  notify.error(
    error instanceof TooManyFilesError
      ? `Drop at most ${MAX_DROPPED_FILES.toLocaleString('en')} files at a time.`
      : 'The folder could not be read.',
  );

/** Makes the whole page accept dropped files, and shows that while files are dragged over it. */
function DropZone({ onFiles }: { onFiles: (files: File[]) => void }) {
  const [isOver, setOver] = useState(false);
  const curtain = useRef<HTMLDivElement>(null);
  const take = useEffectEvent(onFiles);

  useEffect(() => {
    const page = new AbortController();
    const { signal } = page;
    const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files');
    // Without preventDefault, the browser would leave the page and open the dropped file.
    const show = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      const entries = droppedFolders(event.dataTransfer);
      if (entries) return void filesIn(entries).then(take, fail);
      const files = [...(event.dataTransfer?.files ?? [])];
      keepDroppedHandles(event.dataTransfer, files);
      take(files);
    };
    const leave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setOver(false);
    };
    window.addEventListener('dragenter', show, { signal });
    window.addEventListener('dragover', show, { signal });
    window.addEventListener('dragleave', leave, { signal });
    window.addEventListener('drop', drop, { signal });
    return () => page.abort();
  }, []);

  // Only a popover is shown above an open dialog.
  useEffect(() => {
    if (isOver) curtain.current?.showPopover();
    else curtain.current?.hidePopover();
  }, [isOver]);

  return (
    <div
      ref={curtain}
      popover="manual"
      className="pointer-events-none fixed inset-0 m-0 size-full max-h-none max-w-none border-0 bg-base-100/80 p-4 text-base-content"
    >
      <p className="grid size-full place-items-center rounded-lg border-2 p-4 text-balance border-dashed border-primary text-base font-semibold">
        <span className="flex items-center gap-2 rounded-lg border max-sm:flex-col max-sm:text-center border-edge bg-base-200 px-5 py-4">
          <Upload size={16} aria-hidden />
          Drop files to upload them
        </span>
      </p>
    </div>
  );
}
