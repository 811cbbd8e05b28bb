import { useQueryClient } from '@tanstack/react-query';
import type { FileEvent } from '../../server/contract/wire.ts';
import { useFileRefresh } from '../runtime/use-file-refresh.ts';
import { filesKey } from '../uploads/shared.ts';

/** What changes the details of a file that stays, such as the length of audio, which is read after its upload. */
const CHANGES: FileEvent['type'][] = ['file.updated', 'file.moved', 'file.success', 'file.error'];

/**
 * Refreshes a bucket's lists, and the details of a file that are open, when a file is uploaded, processed, read, changed
 * or deleted, by whoever does it.
 */
export function useFileEvents(bucketId: string) {
  const client = useQueryClient();
  useFileRefresh(bucketId, {
    refresh() {
      // A page that nobody sees loads its list once it has the focus again.
      const refetchType = document.hidden ? 'none' : 'active';
      void client.invalidateQueries({ queryKey: filesKey(bucketId), refetchType });
    },
    onEvent({ type, file_id: fileId }) {
      if (!CHANGES.includes(type)) return;
      void client.invalidateQueries({ queryKey: ['file', bucketId, fileId] });
    },
  });
}
