import { useEffect, useRef } from 'react';
import { Dialog, DialogButtons } from '../../ui/dialog/dialog.tsx';
import { Button } from '../../ui/form/button.tsx';
import { S3ImportForm } from './s3-import-form.tsx';
import { S3ImportState } from './s3-import-state.tsx';
import { SourceState } from './source-state.tsx';
import { useBucketSource } from './use-bucket-source.ts';
import { useS3Imports } from './use-s3-imports.ts';

type Props = { bucketId: string; folder: string; open: boolean; onClose: () => void };

/** The 'Import from S3' dialog: starts an import, and follows the one that runs, also after a reload. */
export function S3ImportDialog({ bucketId, folder, open, onClose }: Props) {
  const { last, isLoading, start, stop } = useS3Imports(bucketId, open);
  const sourceOf = useBucketSource(bucketId, open);
  const { source, isLoading: isSourceLoading, set } = sourceOf;
  const isRunning = last?.status === 'running';
  const content = useRef<HTMLDivElement>(null);
  // A button that starts or stops something goes with it, and the focus would go to the page behind.
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are what replace buttons
  useEffect(() => {
    if (open && document.activeElement === document.body)
      content.current?.focus({ preventScroll: true });
  }, [open, isRunning, source]);
  return (
    <Dialog
      open={open}
      locked={start.isPending || set.isPending}
      title="Import from S3"
      text="Copies a bucket from another S3 server, such as MinIO. Identical files are skipped. Other files at the same path are replaced."
      onClose={onClose}
    >
      <div ref={content} tabIndex={-1} className="flex flex-col gap-5 outline-none">
        {source && <SourceState {...sourceOf} source={source} />}
        {last && <S3ImportState last={last} stop={stop} />}
        {isRunning && (
          <>
            <p className="text-xs text-pretty text-quiet">
              The import continues if you close this page.
            </p>
            <DialogButtons>
              <Button onClick={onClose}>Close</Button>
            </DialogButtons>
          </>
        )}
        {!isRunning && !isLoading && !isSourceLoading && (
          <S3ImportForm
            folder={folder.replace(/\/$/, '')}
            start={start}
            setSource={set}
            onClose={onClose}
          />
        )}
      </div>
    </Dialog>
  );
}
