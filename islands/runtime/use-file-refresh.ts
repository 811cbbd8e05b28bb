import { useEffect, useEffectEvent } from 'react';
import { SECOND } from '../../server/contract/limits.ts';
import type { FileEvent } from '../../server/contract/wire.ts';
import { useAuth } from './auth.ts';
import { listenToFiles } from './socket.ts';

/** A list is loaded again at most this often, however many files a program uploads. */
const REFRESH_INTERVAL_MS = 2 * SECOND;

/**
 * Calls `refresh` when a file is uploaded, processed or deleted, by whoever does it, and when a lost connection is back;
 * and `onEvent` with each such event.
 * @param bucketId the bucket whose files are meant; null for those of all
 */
export function useFileRefresh(
  bucketId: string | null,
  { refresh, onEvent }: { refresh: () => void; onEvent?: (event: FileEvent) => void },
) {
  const { userId } = useAuth();
  const onChange = useEffectEvent(refresh);
  const onFile = useEffectEvent((event: FileEvent) => onEvent?.(event));
  useEffect(() => {
    if (!userId) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isStale = false;
    let hasOpened = false;
    const change = () => {
      isStale = timer !== undefined;
      if (isStale) return;
      timer = setTimeout(() => {
        timer = undefined;
        if (isStale) change();
      }, REFRESH_INTERVAL_MS);
      onChange();
    };
    const close = listenToFiles(userId, {
      onEvent: (event) => {
        // The list of a file that is being processed is refreshed anyway.
        if (event.type === 'file.progress') return;
        if (bucketId !== null && event.bucket_id !== bucketId) return;
        change();
        onFile(event);
      },
      onOpen: () => {
        // The page has just been rendered when the socket opens for the first time.
        if (hasOpened) change();
        hasOpened = true;
      },
    });
    return () => {
      clearTimeout(timer);
      close();
    };
  }, [userId, bucketId]);
}
