import { useRef, useState } from 'react';
import { GRANT_MAX } from '../../server/contract/admin.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useGrant } from './admin-calls.ts';

const AMOUNT = /^-?\d{1,5}(\.\d{1,2})?$/;

/** Gives a user credit. Pressed twice, or sent again after an answer got lost, it counts once. */
export function GrantForm({ userId }: { userId: string }) {
  const [text, setText] = useState('');
  const [wrong, setWrong] = useState(false);
  const id = useRef<string | null>(null);
  const grant = useGrant(userId);
  return (
    <form
      className="flex flex-col gap-3 border-t border-base-300 pt-5"
      onSubmit={(event) => {
        event.preventDefault();
        const usd = Number(text);
        const isAmount = AMOUNT.test(text) && usd !== 0 && Math.abs(usd) <= GRANT_MAX;
        setWrong(!isAmount);
        if (!isAmount) return;
        id.current ??= crypto.randomUUID();
        grant.mutate(
          { usd, id: id.current },
          {
            onSuccess: () => {
              id.current = null;
              setText('');
            },
          },
        );
      }}
    >
      <TextField
        label="Grant credit, USD"
        help="A minus takes it away. It is in the ledger and in the log."
        error={
          wrong
            ? `An amount of at most ${GRANT_MAX.toLocaleString('en-US')}, with at most two decimals.`
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
      <Button type="submit" className="self-start" disabled={text === ''} pending={grant.isPending}>
        Grant credit
      </Button>
    </form>
  );
}
