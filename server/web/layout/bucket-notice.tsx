import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { SUSPENSION_GRACE_HOURS } from '../../contract/limits.ts';
import type { BucketStatus } from '../../contract/wire.ts';

const REASONS: Record<BucketStatus, string | null> = {
  running: null,
  suspended: `This bucket is suspended because your balance is below zero. It doesn't accept uploads, and delivery stops after ${SUSPENSION_GRACE_HOURS} hours. Top up to reactivate it within seconds.`,
  banned: 'This bucket is banned. The server’s admin has blocked its uploads and delivery.',
  deleting: 'This bucket is being deleted.',
};

/** Why a bucket is unavailable, and what to do about it; nothing where it is available. */
export function BucketNotice({ status }: { status: BucketStatus }) {
  const reason = REASONS[status];
  if (!reason) return null;
  return (
    <div className="card mb-6 flex flex-wrap items-center gap-x-4 gap-y-3 border-warning p-4">
      <TriangleAlert
        size={16}
        aria-hidden
        className="shrink-0 self-start text-warning max-sm:hidden sm:mt-0.5"
      />
      <p className="min-w-0 basis-72 grow text-pretty">{reason}</p>
      {status === 'suspended' && (
        <a href="/billing" className="btn">
          Add to the balance
        </a>
      )}
    </div>
  );
}
