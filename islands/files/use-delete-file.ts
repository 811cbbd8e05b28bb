import { type InfiniteData, useMutation, useQueryClient } from '@tanstack/react-query';
import type { FilePageWire, FileWire } from '../../server/contract/wire.ts';
import { api, call } from '../api.ts';
import { filesKey } from './use-files.ts';

type Pages = InfiniteData<FilePageWire> | undefined;

/** Deletes a file. Its row goes at once, and comes back where that fails. */
export function useDeleteFile(bucketId: string) {
  const client = useQueryClient();
  const queryKey = filesKey(bucketId);
  return useMutation({
    mutationFn: ({ id }: FileWire) =>
      call(api.files({ bucketID: bucketId })({ fileID: id }).delete()),
    onMutate: async ({ id }) => {
      await client.cancelQueries({ queryKey });
      const before = client.getQueriesData<Pages>({ queryKey });
      client.setQueriesData<Pages>({ queryKey }, (list) => without(list, id));
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
