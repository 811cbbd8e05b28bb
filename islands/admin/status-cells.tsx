import type { BucketStatus } from '../../server/contract/wire.ts';
import type { AdminUserStatus } from '../../server/contract/wire-admin.ts';

const BUCKETS: Record<BucketStatus, string> = {
  running: 'Available',
  suspended: 'Suspended',
  banned: 'Banned',
  deleting: 'Being deleted',
};
const USERS: Record<AdminUserStatus, string> = {
  active: 'Active',
  banned: 'Banned',
  deleting: 'Being deleted',
  pending: 'Awaiting code',
};

/** How a bucket stands, for the operator: not only whether it is available. */
export const BucketStatusCell = ({ status }: { status: BucketStatus }) => (
  <Mark good={status === 'running'} text={BUCKETS[status]} />
);

export const UserStatusCell = ({ status }: { status: AdminUserStatus }) => (
  <Mark good={status === 'active'} text={USERS[status]} />
);

function Mark({ good, text }: { good: boolean; text: string }) {
  return (
    <span
      className={`inline-flex items-center gap-1.5 font-medium ${good ? 'text-success' : 'text-error'}`}
    >
      <span className="size-1.5 shrink-0 rounded-full bg-current" aria-hidden="true" />
      {text}
    </span>
  );
}
