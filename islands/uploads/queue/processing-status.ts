import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { SECOND } from '../../../server/contract/limits.ts';
import { MESSAGES } from '../../../server/contract/messages.ts';
import type { FileEvent, FileWire } from '../../../server/contract/wire.ts';
import { useAuth } from '../../runtime/auth.ts';
import { listenToFiles } from '../../runtime/socket.ts';
import { listFilesSince } from '../transport/upload-calls.ts';
import { endRow, findRow, uploads, useUploads } from '../upload-store.ts';
import { fail } from './upload-manager.ts';

const STATUS_INTERVAL_MS = 2 * SECOND;

/** The key of all queries about a bucket's files. Invalidating it refreshes what the page shows. */
export const filesKey = (bucketId: string) => ['files', bucketId];

const ownFilesKey = (bucketId: string) => ['own-files', bucketId];

/**
 * Polls the files that this page has uploaded, and ends their rows. It does not use the list of the
 * page, which may be filtered, nor only the socket, whose messages may be lost.
 */
export function useProcessingStatus(bucketId: string) {
  const client = useQueryClient();
  const isWaiting = useUploads().some(({ phase }) => phase === 'processing');
  const { data } = useQuery({
    queryKey: ownFilesKey(bucketId),
    enabled: isWaiting,
    refetchInterval: STATUS_INTERVAL_MS,
    staleTime: 0,
    gcTime: 0,
    async queryFn() {
      const ids = processingIds();
      const oldest = [...ids].sort()[0];
      return { ids, files: oldest ? await listFilesSince(bucketId, oldest) : [] };
    },
  });

  useEffect(() => {
    if (!data) return;
    const finishedIds = data.ids.filter((id) => updateRow(id, data.files));
    if (finishedIds.length > 0) void client.invalidateQueries({ queryKey: filesKey(bucketId) });
  }, [data, client, bucketId]);
}

const processingIds = () =>
  uploads.rows.flatMap(({ phase, fileId }) => (phase === 'processing' && fileId ? [fileId] : []));

/** Updates the row of a file. Returns whether its processing has ended. */
function updateRow(fileId: string, files: FileWire[]): boolean {
  const row = findRow(fileId);
  if (row?.phase !== 'processing') return false;
  const file = files.find(({ id }) => id === fileId);
  if (file?.status === 'processing') {
    // The socket may have reported more progress than this response, which can be older.
    row.progress = Math.max(row.progress, file.progress);
    return false;
  }
  if (!file) endRow(row, 'stopped');
  else if (file.status === 'error') fail(row, file.error ?? MESSAGES.unexpected);
  else endRow(row, 'done');
  return true;
}

/** Listens to the events of this page's uploaded files while a dialog is open. */
export function useUploadEvents(bucketId: string, open: boolean) {
  const { userId } = useAuth();
  const client = useQueryClient();
  const look = () => {
    void client.invalidateQueries({ queryKey: ownFilesKey(bucketId) });
    void client.invalidateQueries({ queryKey: filesKey(bucketId) });
  };
  const onEvent = useEffectEvent(({ type, file_id: fileId, progress }: FileEvent) => {
    const row = findRow(fileId);
    if (!row) return;
    if (type !== 'file.progress') look();
    else if (row.phase === 'processing') row.progress = progress;
  });
  const onOpen = useEffectEvent(look);
  useEffect(() => {
    if (!open || !userId) return;
    return listenToFiles(userId, { onEvent: (event) => onEvent(event), onOpen: () => onOpen() });
  }, [open, userId]);
}
