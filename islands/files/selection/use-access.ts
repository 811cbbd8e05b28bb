import { useMutation, useQueryClient } from '@tanstack/react-query';
import { count } from '../../../server/contract/units.ts';
import type { Access, FileWire } from '../../../server/contract/wire.ts';
import { call } from '../../runtime/api.ts';
import { notify } from '../../runtime/notify.ts';
import { filesKey } from '../../uploads/shared.ts';
import { changeFiles } from './change-files.ts';

/** Makes files public or private. */
export function useAccess(bucketId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ files, access }: { files: FileWire[]; access: Access }) =>
      changeFiles(files, (ids) =>
        call('POST /files/bulk/access/:bucketID', {
          params: { bucketID: bucketId },
          body: { ids, access },
        }),
      ),
    onSuccess: (failures, { files, access }) => {
      const [reason] = failures.values();
      const changed = files.length - failures.size;
      const verb = changed === 1 ? 'is' : 'are';
      if (reason === undefined) notify.success(`${count(changed, 'file')} ${verb} ${access} now.`);
      else notify.error(`${changed} of ${files.length} files are ${access} now. ${reason.message}`);
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: filesKey(bucketId) }),
        client.invalidateQueries({ queryKey: ['file', bucketId] }),
      ]),
  });
}
