import { useQuery } from '@tanstack/react-query';
import TrashIcon from 'lucide-react/icons/trash-2';
import { useState } from 'react';
import { formatBytes } from '../../../server/contract/units.ts';
import type { RemovedFileWire } from '../../../server/contract/wire.ts';
import { call } from '../../runtime/api.ts';
import { Time } from '../../ui/date/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Section } from '../file-facts.tsx';
import { PurgeVersionDialog } from '../trash/trash-dialogs.tsx';
import { useTrashChange } from '../trash/use-trash.ts';

/** The earlier versions of a file, if there are any. Restoring one closes the details, as another file is then there. */
export function FileVersions({
  bucketId,
  fileId,
  onRestored,
}: {
  bucketId: string;
  fileId: string;
  onRestored: () => void;
}) {
  const change = useTrashChange<RemovedFileWire>(bucketId, {
    done: ({ action }) => action === 'restore' && onRestored(),
  });
  const [toPurge, setToPurge] = useState<RemovedFileWire | null>(null);
  const { data } = useQuery({
    queryKey: ['file', bucketId, fileId, 'versions'],
    queryFn: () =>
      call('GET /files/:bucketID/:fileID/versions', {
        params: { bucketID: bucketId, fileID: fileId },
      }),
  });
  if (!data || data.data.length === 0) return null;
  return (
    <Section title="Earlier versions" text="Restoring one keeps the current file as a version.">
      <ul className="flex flex-col divide-y divide-base-300 rounded border border-base-300">
        {data.data.map((file) => (
          <li key={file.id} className="flex items-center gap-1 py-1 pr-1 pl-3">
            <span className="mr-auto">
              <Time iso={file.date} withTime />{' '}
              <span className="numbers whitespace-nowrap text-quiet">{formatBytes(file.size)}</span>
            </span>
            <Button
              className="btn-sm btn-ghost"
              aria-label={`Restore the version of ${file.date}`}
              pending={change.isPending && change.variables.files.includes(file)}
              onClick={() => change.mutate({ files: [file], action: 'restore' })}
            >
              Restore
            </Button>
            <Button
              className="btn-sm btn-ghost btn-square text-error"
              aria-label={`Delete the version of ${file.date}`}
              disabled={change.isPending}
              onClick={() => setToPurge(file)}
            >
              <TrashIcon size={16} aria-hidden />
            </Button>
          </li>
        ))}
      </ul>
      <PurgeVersionDialog
        files={toPurge && [toPurge]}
        date={toPurge && <Time iso={toPurge.date} withTime />}
        onConfirm={(files) => {
          change.mutate({ files, action: 'purge' });
          setToPurge(null);
        }}
        onClose={() => setToPurge(null)}
      />
    </Section>
  );
}
