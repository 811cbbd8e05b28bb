import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FileWire } from '../../../server/contract/wire.ts';
import { call } from '../../runtime/api.ts';
import type { FilePages } from './file-pages.ts';
import { filesKey, listsKey } from './use-files.ts';

type Pages = FilePages | undefined;

/** Deletes a file. Its row goes at once, and comes back where that fails. */
export function useDeleteFile(bucketId: string) {
  const client = useQueryClient();
  const queryKey = filesKey(bucketId);
  const lists = { queryKey: listsKey(bucketId) };
  return useMutation({
    mutationFn: ({ id }: FileWire) =>
      call('DELETE /files/:bucketID/:fileID', { params: { bucketID: bucketId, fileID: id } }),
    onMutate: async ({ id }) => {
      await client.cancelQueries({ queryKey });
      const before = client.getQueriesData<Pages>(lists);
      client.setQueriesData<Pages>(lists, (list) => without(list, id));
      return before;
    },
    onError: (_error, _file, before) => {
      for (const [key, list] of before ?? []) client.setQueryData(key, list);
    },
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}

const without = (list: Pages, id: string): Pages =>
  list && {
    ...list,
    pages: list.pages.map((page) => ({ ...page, data: page.data.filter((one) => one.id !== id) })),
  };
