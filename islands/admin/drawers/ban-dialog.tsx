import { ConfirmDialog, Subject } from '../../ui/dialog/confirm-dialog.tsx';
import { type Thing, useBan } from '../admin-calls.ts';

export type Target = Thing & { name: string };

const LOSSES = {
  bucket: 'Delivery and uploads stop immediately, and its API key and tokens stop working.',
  user: 'All sessions end immediately. API keys and tokens stop working, and so does delivery from all buckets.',
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
              ? `${LOSSES[target.kind]} Nothing is deleted, and you can lift the ban later.`
              : target.kind === 'user'
                ? 'They can log in again, and delivery from their buckets resumes.'
                : 'Delivery and uploads resume.'}
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
