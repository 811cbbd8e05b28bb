import { formatBalance } from '../../../server/contract/money.ts';
import type { AdminUserStatus } from '../../../server/contract/wire.ts';
import { deletionImpactText } from '../../accounts/shared.ts';
import { Time } from '../../ui/date/time.tsx';
import { Code, Fact, Facts } from '../../ui/facts.tsx';
import { useUserDetail } from '../admin-calls.ts';
import { DetailDrawer, StatusMark } from './detail-drawer.tsx';
import { GrantForm } from './grant-form.tsx';

const STATUSES: Record<AdminUserStatus, string> = {
  active: 'Active',
  banned: 'Banned',
  deleting: 'Being deleted',
  pending: 'Awaiting code',
};

/** Everything about one user; closed while `id` is null. */
export function UserDrawer({ id, onClose }: { id: string | null; onClose: () => void }) {
  const detail = useUserDetail(id);
  return (
    <DetailDrawer
      open={id !== null}
      title={detail.data?.email ?? 'User'}
      what="user"
      detail={detail}
      onClose={onClose}
    >
      {(user) => (
        <>
          <Facts>
            <Fact name="Status">
              <StatusMark good={user.status === 'active'} text={STATUSES[user.status]} />
            </Fact>
            {user.isAdmin && <Fact name="Role">Admin</Fact>}
            <Fact name="Email">{user.email}</Fact>
            <Fact name="Balance">
              <span className="numbers">{formatBalance(user.credit)}</span>
            </Fact>
            <Fact name="Buckets">
              <span className="numbers">{deletionImpactText(user)}</span>
            </Fact>
            <Fact name="Sessions">
              <span className="numbers">{user.sessions}</span>
              {user.last_seen && (
                <>
                  , last seen <Time iso={user.last_seen} withTime />
                </>
              )}
            </Fact>
            <Fact name="Created at">
              <Time iso={user.date} withTime />
            </Fact>
            <Fact name="ID">
              <Code text={user.id} label="Copy the ID" />
            </Fact>
          </Facts>
          <a className="btn self-start" href={`/admin/logs?subject=${user.id}`}>
            Their log entries
          </a>
          {user.status !== 'deleting' && <GrantForm key={user.id} user={user} />}
        </>
      )}
    </DetailDrawer>
  );
}
