import { useState } from 'react';
import { SUSPENSION_GRACE_HOURS } from '../../../server/contract/limits.ts';
import { formatBalance, GRANT_MAX } from '../../../server/contract/money.ts';
import { formatBytes } from '../../../server/contract/units.ts';
import type { AdminUserDetailWire, AdminUserStatus } from '../../../server/contract/wire.ts';
import { deletionImpactText } from '../../accounts/shared.ts';
import { useIdempotency } from '../../runtime/idempotency.ts';
import { Time } from '../../ui/date/time.tsx';
import { ConfirmDialog, Subject } from '../../ui/dialog/dialog.tsx';
import { Code, DetailDrawer, Fact, Facts } from '../../ui/dialog/drawer.tsx';
import { Button } from '../../ui/form/button.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { StatusMark } from '../../ui/status-mark.tsx';
import type { OpenItem } from '../../ui/use-opened.ts';
import { useGrant, useUserDetail } from '../admin-calls.ts';
import { AccountMoney } from './account-money.tsx';
import { StorageLimitForm } from './storage-limit-form.tsx';

const STATUSES: Record<AdminUserStatus, string> = {
  active: 'Active',
  banned: 'Banned',
  deleting: 'Being deleted',
  pending: 'Awaiting code',
};

const AMOUNT = /^-?\d{1,5}(\.\d{1,2})?$/;

/** The details of a user, in a drawer that is closed while `id` is null. */
export function UserDrawer({ item, ids }: { item: OpenItem; ids: string[] }) {
  const { id } = item;
  const detail = useUserDetail(id);
  return (
    <DetailDrawer
      open={id !== null}
      title={detail.data?.email ?? 'User'}
      what="user"
      detail={detail}
      neighbours={item.neighboursIn(ids)}
      onClose={item.close}
    >
      {(user) => (
        <>
          <Facts>
            <Fact name="Status">
              <StatusMark good={user.status === 'active'} text={STATUSES[user.status]} />
            </Fact>
            {user.is_admin && <Fact name="Role">Admin</Fact>}
            <Fact name="Email">{user.email}</Fact>
            <Fact name="Balance">
              <span className="numbers">{formatBalance(user.credit)}</span>
            </Fact>
            <Fact name="Buckets">
              <span className="numbers">{deletionImpactText(user)}</span>
            </Fact>
            <Fact name="Storage">
              <span className="numbers">{storageText(user.storage)}</span>
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
          <div className="flex flex-wrap gap-2">
            <a className="btn" href={`/admin/buckets?owner=${user.id}`}>
              View buckets
            </a>
            <a className="btn" href={`/admin/logs?subject=${user.id}`}>
              View log entries
            </a>
          </div>
          {user.status !== 'deleting' && (
            <>
              <GrantForm key={user.id} user={user} />
              <StorageLimitForm key={`${user.id} ${user.max_bytes}`} user={user} />
            </>
          )}
          <AccountMoney userId={user.id} />
        </>
      )}
    </DetailDrawer>
  );
}

function storageText({ stored, unfinished, limit }: AdminUserDetailWire['storage']): string {
  const used = formatBytes(stored + unfinished);
  const part = limit === null ? `${used}, no limit` : `${used} of ${formatBytes(limit)}`;
  return unfinished === 0 ? part : `${part}; ${formatBytes(unfinished)} in unfinished uploads`;
}

/** Grants a user credit. An id makes the call idempotent if it is sent again. */
function GrantForm({ user }: { user: AdminUserDetailWire }) {
  const [text, setText] = useState('');
  const [isInvalid, setInvalid] = useState(false);
  const { key, renew } = useIdempotency();
  /** The negative amount in USD whose deduction waits for confirmation. */
  const [deduction, setDeduction] = useState<number | null>(null);
  const grant = useGrant(user.id);

  const addCredit = (usd: number) => {
    grant.mutate(
      { usd, id: key(String(usd)) },
      {
        onSuccess: () => {
          renew();
          // The page loads the new balance first, and the next amount may be typed meanwhile.
          setText((typed) => (typed === text ? '' : typed));
          setDeduction(null);
        },
      },
    );
  };
  return (
    <form
      className="flex flex-col gap-3 border-t border-base-300 pt-5"
      onSubmit={(event) => {
        event.preventDefault();
        const usd = Number(text);
        const isAmount = AMOUNT.test(text) && usd !== 0 && Math.abs(usd) <= GRANT_MAX;
        setInvalid(!isAmount);
        if (!isAmount) return;
        if (usd < 0) setDeduction(usd);
        else addCredit(usd);
      }}
    >
      <TextField
        label="Grant credit, USD"
        help="Use a negative amount to deduct credit. The change is recorded in the ledger and the audit log."
        error={
          isInvalid
            ? `Enter an amount of at most ${GRANT_MAX.toLocaleString('en-US')} with up to two decimals.`
            : null
        }
        inputMode="decimal"
        autoComplete="off"
        placeholder="5.00"
        value={text}
        onValue={(value) => {
          setInvalid(false);
          setText(value.trim());
        }}
      />
      <Button
        type="submit"
        className="self-start"
        disabled={text === ''}
        pending={grant.isPending && deduction === null}
      >
        Grant credit
      </Button>
      <ConfirmDialog
        open={deduction !== null}
        title="Deduct credit"
        text={deduction !== null && <DeductionText user={user} usd={-deduction} />}
        act="Deduct credit"
        isPending={grant.isPending}
        onConfirm={() => deduction !== null && addCredit(deduction)}
        onClose={() => setDeduction(null)}
      />
    </form>
  );
}

/** What a deduction means for the user. */
function DeductionText({ user, usd }: { user: AdminUserDetailWire; usd: number }) {
  const newCredit = user.credit - usd;
  return (
    <>
      <Subject>{user.email}</Subject> loses {formatBalance(usd)}, which leaves{' '}
      {formatBalance(newCredit)}.
      {newCredit < 0 &&
        ` If payments are enabled, their uploads are refused below zero, and delivery stops ${SUSPENSION_GRACE_HOURS} hours later.`}
    </>
  );
}
