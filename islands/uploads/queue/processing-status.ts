import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { SECOND } from '../../../server/contract/limits.ts';
import { MESSAGES } from '../../../server/contract/messages.ts';
import type { FileEvent, FileWire } from '../../../server/contract/wire.ts';
import { useAuth } from '../../runtime/auth.ts';
import { listenToFiles } from '../../runtime/socket.ts';
import { filesKey } from '../files-key.ts';
import { listFilesSince } from '../transport/upload-calls.ts';
import {
  endRow,
  failRow,
  hasEnded,
  type UploadListItem,
  updateRow,
  uploads,
  useUploads,
} from '../upload-store.ts';

const STATUS_INTERVAL_MS = 2 * SECOND;

const ownFilesKey = (bucketId: string) => ['own-files', bucketId];

/**
 * Polls the files of a bucket that this page has uploaded, and ends their rows. It does not use the list of the
 * page, which may be filtered, nor only the socket, whose messages may be lost.
 */
export function useProcessingStatus(bucketId: string) {
  const client = useQueryClient();
  const rows = useUploads().filter((row) => row.bucketId === bucketId && !hasEnded(row));
  const isWaiting = rows.some(({ phase }) => phase === 'processing');
  useUploadEvents(bucketId, rows.length > 0);
  const { data } = useQuery({
    queryKey: ownFilesKey(bucketId),
    enabled: isWaiting,
    refetchInterval: STATUS_INTERVAL_MS,
    staleTime: 0,
    gcTime: 0,
    async queryFn() {
      const ids = [...processingRows(bucketId).keys()];
      const oldest = ids.toSorted()[0];
      return { ids, files: oldest ? await listFilesSince(bucketId, oldest) : [] };
    },
  });

  useEffect(() => {
    if (!data) return;
    const processing = processingRows(bucketId);
    const files = new Map(data.files.map((file) => [file.id, file]));
    const ended = data.ids.filter((id) => {
      const row = processing.get(id);
      return row && takeStatus(row, files.get(id));
    });
    if (ended.length > 0) void client.invalidateQueries({ queryKey: filesKey(bucketId) });
  }, [data, client, bucketId]);
}

/** Returns the rows whose files are processed, by the ids of the files. */
const processingRows = (bucketId: string) =>
  new Map(
    uploads.rows.flatMap((row) =>
      row.bucketId === bucketId && row.phase === 'processing' && row.fileId
        ? [[row.fileId, row] as const]
        : [],
    ),
  );

/** Updates a row by the file that the server lists, if it does. Returns whether the processing has ended. */
function takeStatus(row: UploadListItem, file: FileWire | undefined): boolean {
  if (file?.status === 'processing') {
    updateRow(row, { progress: file.progress });
    return false;
  }
  if (!file) endRow(row, 'stopped');
  else if (file.status === 'success') endRow(row, 'done', file);
  else failRow(row, file.error ?? MESSAGES.unexpected, file.retry_until !== null);
  return true;
}

/** Listens to the events of a bucket's files while some of this page's uploads are under way. */
function useUploadEvents(bucketId: string, isAny: boolean) {
  const { userId } = useAuth();
  const client = useQueryClient();
  const look = () => {
    void client.invalidateQueries({ queryKey: ownFilesKey(bucketId) });
    void client.invalidateQueries({ queryKey: filesKey(bucketId) });
  };
  const onEvent = useEffectEvent(({ type, file_id: fileId, progress }: FileEvent) => {
    const row = processingRows(bucketId).get(fileId);
    if (!row) return;
    if (type === 'file.progress') updateRow(row, { progress });
    else look();
  });
  const onOpen = useEffectEvent(look);
  useEffect(() => {
    if (!isAny || !userId) return;
    return listenToFiles(userId, { onEvent: (event) => onEvent(event), onOpen: () => onOpen() });
  }, [isAny, userId]);
}
