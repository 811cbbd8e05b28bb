import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FileWire } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { notify } from '../runtime/notify.ts';
import { Time } from '../ui/date/time.tsx';
import { Button } from '../ui/form/button.tsx';
import { filesKey } from '../uploads/shared.ts';

/** Processes a failed file again. Also after an error the file is reloaded, as it may have changed. */
export function useRetryFile(bucketId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: Pick<FileWire, 'id'>) =>
      call('POST /files/:bucketID/:fileID/retry', { params: { bucketID: bucketId, fileID: id } }),
    onSuccess: () => notify.success('Processing started again.'),
    onSettled: (_data, _error, { id }) =>
      Promise.all([
        client.invalidateQueries({ queryKey: filesKey(bucketId) }),
        client.invalidateQueries({ queryKey: ['file', bucketId, id] }),
      ]),
  });
}

/** Offers to process a failed file again, if its upload is still stored. */
export function RetryNotice({
  file,
  isPending,
  onRetry,
}: {
  file: Pick<FileWire, 'id' | 'retry_until'>;
  isPending: boolean;
  onRetry: (file: Pick<FileWire, 'id'>) => void;
}) {
  if (file.retry_until === null) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-md border border-base-300 px-3 py-2">
      <p className="min-w-0 grow basis-48">
        The upload is kept until <Time iso={file.retry_until} withTime />, so you can retry.
      </p>
      <Button className="btn-sm" pending={isPending} onClick={() => onRetry(file)}>
        Retry
      </Button>
    </div>
  );
}
