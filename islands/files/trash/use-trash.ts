import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { count, truncate } from '../../../server/contract/units.ts';
import type { RemovedFileWire, TrashPageWire } from '../../../server/contract/wire.ts';
import { call } from '../../runtime/api.ts';
import { notify } from '../../runtime/notify.ts';
import { filesKey } from '../../uploads/shared.ts';
import { changeFiles } from '../selection/change-files.ts';

/** Loads the trash page by page. An event about the bucket's files loads its pages again. */
export function useTrash(bucketId: string) {
  const list = useInfiniteQuery({
    queryKey: [...filesKey(bucketId), 'trash'],
    queryFn: ({ pageParam }): Promise<TrashPageWire> =>
      call('GET /files/trash/:bucketID', {
        params: { bucketID: bucketId },
        query: pageParam ? { cursor: pageParam } : {},
      }),
    initialPageParam: '',
    getNextPageParam: ({ next }: TrashPageWire) => next,
  });
  return { ...list, rows: (list.data?.pages ?? []).flatMap(({ data }) => data) };
}

/** Restores a file from the trash, or an earlier version. With `isRenamed`, it gets a number if its path is taken. */
export function useRestore(bucketId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ file, isRenamed }: { file: RemovedFileWire; isRenamed: boolean }) =>
      call('POST /files/:bucketID/:fileID/restore', {
        params: { bucketID: bucketId, fileID: file.id },
        query: isRenamed ? { on_conflict: 'rename' as const } : {},
      }),
    onSuccess: ({ name }) => notify.success(`${truncate(name)} was restored.`),
    onSettled: () => client.invalidateQueries({ queryKey: filesKey(bucketId) }),
  });
}

/** Deletes a file of the trash, or an earlier version, for good. */
export function usePurge(bucketId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: RemovedFileWire) =>
      call('DELETE /files/trash/:bucketID/:fileID', { params: { bucketID: bucketId, fileID: id } }),
    onSuccess: (_response, { name }) => notify.success(`${truncate(name)} was deleted.`),
    onSettled: () => client.invalidateQueries({ queryKey: filesKey(bucketId) }),
  });
}

/** Restores or permanently deletes many files of the trash, and says how many of them, and why others were not. */
export function useBulkTrash(bucketId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ files, action }: { files: RemovedFileWire[]; action: 'restore' | 'purge' }) =>
      changeFiles(files, (ids) => {
        const request = { params: { bucketID: bucketId }, body: { ids } };
        return action === 'restore'
          ? call('POST /files/bulk/restore/:bucketID', request)
          : call('POST /files/bulk/purge/:bucketID', request);
      }),
    onSuccess: (failures, { files, action }) => {
      const verb = action === 'restore' ? 'restored' : 'deleted';
      const [reason] = failures.values();
      if (reason === undefined) return notify.success(`${count(files.length, 'file')} ${verb}.`);
      notify.error(`${files.length - failures.size} of ${files.length} files ${verb}. ${reason}`);
    },
    onSettled: () => client.invalidateQueries({ queryKey: filesKey(bucketId) }),
  });
}

/** Deletes everything in the trash for good. */
export function useEmptyTrash(bucketId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call('DELETE /files/trash/:bucketID', { params: { bucketID: bucketId } }),
    onSuccess: () => notify.success('Trash emptied.'),
    onSettled: () => client.invalidateQueries({ queryKey: filesKey(bucketId) }),
  });
}
