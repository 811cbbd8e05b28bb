import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { truncate } from '../../../server/contract/units.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { call } from '../../runtime/api.ts';
import { notify } from '../../runtime/notify.ts';
import { filesKey } from '../../uploads/shared.ts';
import { changeFiles } from '../selection/change-files.ts';
import { type FilePages, listsKey } from '../use-files.ts';
import { baseName } from './paths.ts';

/** Moves a file to another path, which another file must not have. */
const moveFile = (bucketId: string, { id, path }: Pick<FileWire, 'id' | 'path'>) =>
  call('PATCH /files/:bucketID/:fileID', {
    params: { bucketID: bucketId, fileID: id },
    body: { path, on_conflict: 'error' },
  });

/** Loads the lists and the details of files again. */
export const reloadFiles = (client: QueryClient, bucketId: string) =>
  Promise.all([
    client.invalidateQueries({ queryKey: filesKey(bucketId) }),
    client.invalidateQueries({ queryKey: ['file', bucketId] }),
  ]);

/** Moves a file within its folder. Its row shows the new name at once. */
export function useRename(bucketId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (file: Pick<FileWire, 'id' | 'path'>) => moveFile(bucketId, file),
    onSuccess: ({ id, name, path }) => {
      client.setQueriesData<FilePages | undefined>(
        { queryKey: listsKey(bucketId) },
        (list) =>
          list && {
            ...list,
            pages: list.pages.map((page) => ({
              ...page,
              data: page.data.map((file) => (file.id === id ? { ...file, name, path } : file)),
            })),
          },
      );
    },
    onSettled: () => reloadFiles(client, bucketId),
  });
}

/** Moves files into a folder, and says how many of them, and why others were not. */
export function useMoveFiles(bucketId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ files, folder }: { files: FileWire[]; folder: string }) => {
      const [file] = files;
      if (file && files.length === 1) {
        await moveFile(bucketId, { id: file.id, path: `${folder}${baseName(file.path)}` });
        return new Map<string, never>();
      }
      return changeFiles(files, (ids) =>
        call('POST /files/bulk/move/:bucketID', {
          params: { bucketID: bucketId },
          body: { ids, folder, on_conflict: 'error' },
        }),
      );
    },
    onSuccess: (failures, { files, folder }) => {
      const place = folder === '' ? 'the top folder' : truncate(folder.slice(0, -1));
      const what =
        files.length === 1 ? truncate(baseName(files[0]?.path ?? '')) : `${files.length} files`;
      const [reason] = failures.values();
      if (reason === undefined) return notify.success(`${what} moved to ${place}.`);
      const moved = files.length - failures.size;
      notify.error(`${moved} of ${files.length} files moved to ${place}. ${reason.message}`);
    },
    onSettled: () => reloadFiles(client, bucketId),
  });
}
