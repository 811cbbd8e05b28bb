import { useQuery } from '@tanstack/react-query';
import { count, formatBytes } from '../../../server/contract/units.ts';
import type { ZipWire } from '../../../server/contract/wire.ts';
import { call } from '../../runtime/api.ts';
import { Dialog, DialogButtons } from '../../ui/dialog/dialog.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Spinner } from '../../ui/states.tsx';

/** What is to be in a ZIP: a folder, whose path ends in '/', or some files. */
export type ZipSelection = { folder: string } | { ids: string[] };

/** Says what a ZIP will have in it, and links to it. */
export function ZipDialog({
  bucketId,
  selection,
  onClose,
}: {
  bucketId: string;
  /** Null while the dialog is closed. */
  selection: ZipSelection | null;
  onClose: () => void;
}) {
  const zip = useQuery({
    queryKey: ['zip', bucketId, selection],
    enabled: selection !== null,
    // A link is valid for some minutes, and files may be added meanwhile.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    retry: false,
    queryFn: () =>
      call('POST /files/zip/:bucketID', {
        params: { bucketID: bucketId },
        body: selection ?? {},
      }),
  });
  const { data, error } = zip;
  return (
    <Dialog
      open={selection !== null}
      title="Download as ZIP"
      text={data ? <Contents zip={data} /> : error ? error.message : 'Looking up the files.'}
      onClose={onClose}
    >
      <DialogButtons>
        {zip.isPending && <Spinner label="Looking up the files" />}
        <Button className="btn-ghost" onClick={onClose}>
          {data?.url === null || error ? 'Close' : 'Cancel'}
        </Button>
        {data?.url && (
          <a className="btn btn-primary" href={data.url} download={data.name} onClick={onClose}>
            Download
          </a>
        )}
      </DialogButtons>
    </Dialog>
  );
}

function Contents({ zip: { files, left_out, size } }: { zip: ZipWire }) {
  const leftOut =
    left_out > 0 &&
    `${count(left_out, 'file')} ${left_out === 1 ? 'is' : 'are'} left out: still processing, failed, or a video whose original isn’t kept.`;
  if (files === 0) return <>There is nothing to download. {leftOut}</>;
  return (
    <>
      <span className="numbers">
        {count(files, 'file')}, {formatBytes(size)}.
      </span>{' '}
      {leftOut} The download counts as bandwidth.
    </>
  );
}
