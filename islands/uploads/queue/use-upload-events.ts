import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { FileEvent } from '../../../server/contract/events.ts';
import { filesKey } from '../../files/table/use-files.ts';
import { useAuth } from '../../runtime/auth.ts';
import { openSocket } from '../../runtime/socket.ts';
import { ownFilesKey } from './processing-status.ts';
import { rowOf } from './upload-store.ts';

/** Hears, while a dialog is open, how the files of this page's uploads come along. */
export function useUploadEvents(bucketId: string, open: boolean) {
  const { userId } = useAuth();
  const client = useQueryClient();
  const look = () => {
    void client.invalidateQueries({ queryKey: ownFilesKey(bucketId) });
    void client.invalidateQueries({ queryKey: filesKey(bucketId) });
  };
  const onEvent = useEffectEvent(({ type, fileId, progress }: FileEvent) => {
    const row = rowOf(fileId);
    if (!row) return;
    if (type !== 'file.progress') look();
    else if (row.phase === 'processing') row.progress = progress;
  });
  const onOpen = useEffectEvent(look);
  useEffect(() => {
    if (!open || !userId) return;
    return openSocket(userId, { onEvent: (event) => onEvent(event), onOpen: () => onOpen() });
  }, [open, userId]);
}
