import { ConfirmDialog, Subject } from '../../ui/dialog/confirm-dialog.tsx';
import { type Thing, useBan } from '../admin-calls.ts';

export type Target = Thing & { name: string };

const LOSSES = {
  bucket: 'Its delivery and its uploads stop at once; its keys and tokens open nothing.',
  user: 'All sessions end at once; keys and tokens stop, and so does the delivery of all buckets.',
};

/** Asks once before somebody or something is banned, or is no more. */
export function BanDialog({
  target,
  onClose,
}: {
  /** Null while nothing is asked. */
  target: (Target & { isBanned: boolean }) | null;
  onClose: () => void;
}) {
  const ban = useBan();
  const act = target?.isBanned ? 'unban' : 'ban';
  const title = `${act === 'ban' ? 'Ban' : 'Unban'} ${target?.kind ?? ''}`;
  return (
    <ConfirmDialog
      open={target !== null}
      title={title}
      text={
        target && (
          <>
            <Subject>{target.name}</Subject>
            {': '}
            {act === 'ban'
              ? `${LOSSES[target.kind]} Nothing is deleted, and the ban can be lifted.`
              : target.kind === 'user'
                ? 'They may log in again, and their buckets are delivered again.'
                : 'It is again what it was before.'}
          </>
        )
      }
      act={act === 'ban' ? 'Ban' : 'Unban'}
      isHarmless={act === 'unban'}
      isPending={ban.isPending}
      onConfirm={() =>
        target && ban.mutate({ kind: target.kind, id: target.id, act }, { onSuccess: onClose })
      }
      onClose={onClose}
    />
  );
}
