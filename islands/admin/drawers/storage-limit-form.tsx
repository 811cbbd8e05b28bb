import { useState } from 'react';
import type { AdminUserDetailWire } from '../../../server/contract/wire.ts';
import { parseUnits, toUnits } from '../../ui/form/binary-units.ts';
import { Button } from '../../ui/form/button.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { useStorageLimit } from '../admin-calls.ts';

/** Sets how much a user may store. */
export function StorageLimitForm({ user }: { user: AdminUserDetailWire }) {
  const current = toUnits(user.max_bytes);
  const [text, setText] = useState(current);
  const [isInvalid, setInvalid] = useState(false);
  const change = useStorageLimit(user.id);
  return (
    <form
      className="flex flex-col gap-3 border-t border-base-300 pt-5"
      onSubmit={(event) => {
        event.preventDefault();
        const bytes = parseUnits(text);
        setInvalid(bytes === undefined);
        if (bytes !== undefined) change.mutate(bytes);
      }}
    >
      <TextField
        label="Storage limit, GiB"
        help="Leave empty for the server’s default. Files above a lower limit are kept, but uploads are refused."
        error={isInvalid ? 'Enter a number from 0 to 1,048,576 with up to two decimals.' : null}
        inputMode="decimal"
        autoComplete="off"
        placeholder="Default"
        value={text}
        onValue={(value) => {
          setInvalid(false);
          setText(value.trim());
        }}
      />
      <Button
        type="submit"
        className="self-start"
        disabled={text === current}
        pending={change.isPending}
      >
        Set limit
      </Button>
    </form>
  );
}
