import { useQuery } from '@tanstack/react-query';
import { formatBytes } from '../../../server/contract/units.ts';
import { call } from '../../runtime/api.ts';
import { Time } from '../../ui/date/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Section } from '../file-facts.tsx';
import { useRestore } from '../trash/use-trash.ts';

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
  const restore = useRestore(bucketId);
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
          <li key={file.id} className="flex items-center justify-between gap-3 py-1 pr-1 pl-3">
            <span>
              <Time iso={file.date} withTime />{' '}
              <span className="numbers whitespace-nowrap text-quiet">{formatBytes(file.size)}</span>
            </span>
            <Button
              className="btn-sm btn-ghost"
              aria-label={`Restore the version of ${file.date}`}
              pending={restore.isPending && restore.variables.file.id === file.id}
              onClick={() =>
                restore.mutate({ file, isRenamed: false }, { onSuccess: () => onRestored() })
              }
            >
              Restore
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  );
}
