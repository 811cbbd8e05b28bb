import { useInfiniteQuery } from '@tanstack/react-query';
import type { FileWire, FolderPageWire } from '../../../server/contract/wire.ts';
import { call } from '../../runtime/api.ts';
import { filesKey } from '../../uploads/shared.ts';
import type { Sorting } from '../file-filters.tsx';

/** A folder in another one. Its id is its path, which ends in '/'. */
export type Folder = { id: string; folder: string };

/** Loads a folder page by page. An event about the bucket's files loads its pages again. */
export function useFolder(bucketId: string, prefix: string, sorting: Sorting) {
  const list = useInfiniteQuery({
    queryKey: [...filesKey(bucketId), 'folder', prefix, sorting],
    queryFn: ({ pageParam }): Promise<FolderPageWire> =>
      call('GET /files/folder/:bucketID', {
        params: { bucketID: bucketId },
        query: { prefix, ...sorting, ...(pageParam && { cursor: pageParam }) },
      }),
    initialPageParam: '',
    getNextPageParam: ({ next }: FolderPageWire) => next,
    // While the folder loads in another order, its rows stay, and with them the focus on what sorts them.
    placeholderData: (before, query) => (query?.queryKey.at(-2) === prefix ? before : undefined),
  });
  const rows: (Folder | FileWire)[] = (list.data?.pages ?? []).flatMap(({ folders, data }) => [
    ...folders.map((folder) => ({ id: folder, folder })),
    // Of two files of one name, one has a number in its path.
    ...data.map((file) => ({ ...file, name: file.path.split('/').at(-1) ?? file.name })),
  ]);
  return { ...list, rows };
}
