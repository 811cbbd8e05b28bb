import { useMutation, useQueryClient } from '@tanstack/react-query';
import { count, truncate } from '../../../server/contract/units.ts';
import type { RemovedFileWire } from '../../../server/contract/wire.ts';
import { call } from '../../runtime/api.ts';
import { notify } from '../../runtime/notify.ts';
import { usePagedList } from '../../ui/paging/use-paged-list.ts';
import { filesKey } from '../../uploads/shared.ts';
import { reloadFiles } from '../moves/use-move.ts';
import { changeFiles } from '../selection/change-files.ts';

/** Loads the trash page by page, and keeps it up to date. */
export function useTrash(bucketId: string) {
  return usePagedList<RemovedFileWire>({
    within: filesKey(bucketId),
    key: ['trash'],
    start: '',
    async load(cursor) {
      const { data, next } = await call('GET /files/trash/:bucketID', {
        params: { bucketID: bucketId },
        query: cursor ? { cursor } : {},
      });
      return { data, nextId: next };
    },
    isBehind: isTrashCursorBehind,
    isBusy: () => false,
    canKeepRows: () => false,
  });
}

/** Returns whether a cursor, the time of a deletion and an id, is behind another one: the last deleted file is first. */
export function isTrashCursorBehind(cursor: string, other: string): boolean {
  const [time = '', id = ''] = cursor.split('-');
  const [otherTime = '', otherId = ''] = other.split('-');
  return time === otherTime ? id < otherId : Number(time) < Number(otherTime);
}

type Removed = Pick<RemovedFileWire, 'id' | 'name'>;

export type TrashChange<File extends Removed = Removed> = {
  files: File[];
  action: 'restore' | 'purge';
  /** A restored file gets a number if its path is taken. */
  isRenamed?: boolean;
};

/**
 * Restores files of the trash and earlier versions, or deletes them for good, and says how many, and why others were
 * not.
 * @param on.taken gets the files that were not restored as other files have their paths
 * @param on.done called after a change of all files
 */
export function useTrashChange<File extends Removed>(
  bucketId: string,
  on: {
    taken?: (files: File[]) => void;
    done?: (change: TrashChange<File>) => void;
  } = {},
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ files, action, isRenamed }: TrashChange<File>) =>
      changeFiles(files, (ids) => {
        const params = { bucketID: bucketId };
        if (action === 'purge') {
          return call('POST /files/bulk/purge/:bucketID', { params, body: { ids } });
        }
        const onConflict = isRenamed ? { on_conflict: 'rename' as const } : {};
        return call('POST /files/bulk/restore/:bucketID', { params, body: { ids, ...onConflict } });
      }),
    onSuccess: (failures, change) => {
      const { files, action } = change;
      const isTaken = ({ id }: File) => failures.get(id)?.code === 'path-taken';
      const taken = on.taken ? files.filter(isTaken) : [];
      const changed = files.filter(({ id }) => !failures.has(id));
      const reason = files.find((file) => failures.has(file.id) && !taken.includes(file));
      const verb = action === 'restore' ? 'restored' : 'deleted';
      if (reason) {
        const { message } = failures.get(reason.id) ?? {};
        notify.error(`${changed.length} of ${count(files.length, 'file')} ${verb}. ${message}`);
      } else if (changed[0]) {
        const name = changed.length === 1 && truncate(changed[0].name);
        notify.success(name ? `${name} was ${verb}.` : `${changed.length} files ${verb}.`);
      }
      if (taken.length > 0) on.taken?.(taken);
      if (failures.size === 0) on.done?.(change);
    },
    onSettled: () => reloadFiles(client, bucketId),
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
