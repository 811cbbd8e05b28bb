import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { SECOND } from '../../server/contract/limits.ts';
import type { FileEvent } from '../../server/contract/wire.ts';
import { useAuth } from '../runtime/auth.ts';
import { listenToFiles } from '../runtime/socket.ts';
import { filesKey } from '../uploads/shared.ts';

/** A list is loaded again at most this often, however many files a program uploads. */
const REFRESH_INTERVAL_MS = 2 * SECOND;

/** What changes the details of a file that stays, such as the length of audio, which is read after its upload. */
const CHANGES: FileEvent['type'][] = ['file.updated', 'file.moved', 'file.success', 'file.error'];

/**
 * Refreshes a bucket's lists, and the details of a file that are open, when a file is uploaded, processed, read, changed
 * or deleted, by whoever does it.
 */
export function useFileEvents(bucketId: string) {
  const { userId } = useAuth();
  const client = useQueryClient();
  useEffect(() => {
    if (!userId) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isStale = false;
    let hasOpened = false;
    const refresh = () => {
      isStale = timer !== undefined;
      if (isStale) return;
      timer = setTimeout(() => {
        timer = undefined;
        if (isStale) refresh();
      }, REFRESH_INTERVAL_MS);
      // A page that nobody sees loads its list once it has the focus again.
      const refetchType = document.hidden ? 'none' : 'active';
      void client.invalidateQueries({ queryKey: filesKey(bucketId), refetchType });
    };
    const close = listenToFiles(userId, {
      onEvent: ({ type, bucket_id: of, file_id: fileId }) => {
        // The list of a file that is being processed is refreshed anyway.
        if (of !== bucketId || type === 'file.progress') return;
        refresh();
        if (CHANGES.includes(type)) {
          void client.invalidateQueries({ queryKey: ['file', bucketId, fileId] });
        }
      },
      onOpen: () => {
        // The page has just been rendered when the socket opens for the first time.
        if (hasOpened) refresh();
        hasOpened = true;
      },
    });
    return () => {
      clearTimeout(timer);
      close();
    };
  }, [userId, bucketId, client]);
}
