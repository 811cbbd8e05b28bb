import { useRef, useState } from 'react';
import { SUSPENSION_GRACE_HOURS } from '../../../server/contract/limits.ts';
import { formatBalance, GRANT_MAX } from '../../../server/contract/money.ts';
import type { AdminUserDetailWire } from '../../../server/contract/wire.ts';
import { ConfirmDialog, Subject } from '../../ui/dialog/confirm-dialog.tsx';
import { Button } from '../../ui/form/button.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { useGrant } from '../admin-calls.ts';

const AMOUNT = /^-?\d{1,5}(\.\d{1,2})?$/;

/** Gives a user credit. Pressed twice, or sent again after an answer got lost, it counts once. */
export function GrantForm({ user }: { user: AdminUserDetailWire }) {
  const [text, setText] = useState('');
  const [wrong, setWrong] = useState(false);
  const id = useRef<string | null>(null);
  /** USD, below zero, while it is asked whether to take them. */
  const [taken, setTaken] = useState<number | null>(null);
  const grant = useGrant(user.id);

  const give = (usd: number) => {
    id.current ??= crypto.randomUUID();
    grant.mutate(
      { usd, id: id.current },
      {
        onSuccess: () => {
          id.current = null;
          setText('');
          setTaken(null);
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
        setWrong(!isAmount);
        if (!isAmount) return;
        if (usd < 0) setTaken(usd);
        else give(usd);
      }}
    >
      <TextField
        label="Grant credit, USD"
        help="Use a negative amount to deduct credit. The change is recorded in the ledger and the audit log."
        error={
          wrong
            ? `Enter an amount of at most ${GRANT_MAX.toLocaleString('en-US')} with up to two decimals.`
            : null
        }
        inputMode="decimal"
        autoComplete="off"
        placeholder="5.00"
        value={text}
        onValue={(value) => {
          id.current = null;
          setWrong(false);
          setText(value.trim());
        }}
      />
      <Button
        type="submit"
        className="self-start"
        disabled={text === ''}
        pending={grant.isPending && taken === null}
      >
        Grant credit
      </Button>
      <ConfirmDialog
        open={taken !== null}
        title="Deduct credit"
        text={taken !== null && <Taking user={user} usd={-taken} />}
        act="Deduct credit"
        isPending={grant.isPending}
        onConfirm={() => taken !== null && give(taken)}
        onClose={() => setTaken(null)}
      />
    </form>
  );
}

/** What is lost, and what follows below zero. */
function Taking({ user, usd }: { user: AdminUserDetailWire; usd: number }) {
  const left = user.credit - usd;
  return (
    <>
      <Subject>{user.email}</Subject> loses {formatBalance(usd)}, which leaves {formatBalance(left)}
      .
      {left < 0 &&
        ` If payments are enabled, their uploads are refused below zero, and delivery stops ${SUSPENSION_GRACE_HOURS} hours later.`}
    </>
  );
}
