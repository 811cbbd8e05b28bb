import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { endOfMonth } from '../../../server/contract/bandwidth-limit.ts';
import { formatBytes } from '../../../server/contract/units.ts';
import type { BucketWire } from '../../../server/contract/wire.ts';
import { notify } from '../../runtime/notify.ts';
import { Time } from '../../ui/date/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { parseGibibytes, toGibibytes } from '../../ui/form/gibibytes.ts';
import { Panel } from '../../ui/panel.tsx';
import { Warning } from '../../ui/warning.tsx';
import { bucketKey, setBandwidthLimit } from './settings-calls.ts';

const INVALID =
  'Enter a number from 0.01 to 1,048,576 with up to two decimals, or leave the field empty.';

/** Limits what the bucket delivers in a month, and says when the limit is reached. */
export function BandwidthPanel({ bucket }: { bucket: BucketWire }) {
  const { id, bandwidth, bandwidth_limit: limit } = bucket;
  const current = toGibibytes(limit);
  /** What was typed; null while the field shows the current limit, which another tab may change. */
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? current;
  const [isInvalid, setInvalid] = useState(false);
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (bytes: number | null) => setBandwidthLimit(id, bytes),
    onSuccess: (saved) => {
      setTyped(null);
      client.setQueryData(bucketKey(id), saved);
      notify.success(saved.bandwidth_limit === null ? 'Limit removed.' : 'Limit saved.');
    },
  });

  return (
    <Panel
      title="Bandwidth limit"
      text="Delivery stops for the rest of the month (UTC) when the bucket has sent this much. We email you at 80% and at 100%."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          const bytes = parseGibibytes(text);
          const isAccepted = bytes !== undefined && bytes !== 0;
          setInvalid(!isAccepted);
          if (isAccepted) save.mutate(bytes);
        }}
      >
        {limit !== null && bandwidth >= limit && (
          <Warning>
            This month’s limit is reached, so files aren’t delivered until{' '}
            <Time iso={new Date(endOfMonth(Date.now())).toISOString()} withTime />. Raise or remove
            the limit to resume delivery now.
          </Warning>
        )}
        <div className="grid gap-4 md:grid-cols-2">
          <TextField
            label="Limit per month, GiB"
            inputMode="decimal"
            autoComplete="off"
            placeholder="No limit"
            className="numbers"
            value={text}
            error={isInvalid ? INVALID : null}
            help={`${formatBytes(bandwidth)} sent this month. Leave empty for no limit.`}
            onValue={(value) => {
              setInvalid(false);
              setTyped(value.trim());
            }}
          />
        </div>
        <Button
          type="submit"
          className="btn-primary self-start"
          disabled={text === current}
          pending={save.isPending}
        >
          Save Limit
        </Button>
      </form>
    </Panel>
  );
}
