import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { endOfMonth } from '../../../server/contract/bandwidth-limit.ts';
import { formatBytes } from '../../../server/contract/units.ts';
import type { BucketWire } from '../../../server/contract/wire.ts';
import { notify } from '../../runtime/notify.ts';
import { Time } from '../../ui/date/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Warning } from '../../ui/warning.tsx';
import { formatGib, parseGib } from './gib-amount.ts';
import { bucketKey, setBandwidthLimit } from './settings-calls.ts';

const INVALID = 'Enter a number above 0, or leave the field empty for no limit.';

/** Limits what the bucket delivers in a month, and says when the limit is reached. */
export function BandwidthPanel({ bucket }: { bucket: BucketWire }) {
  const { id, bandwidth, bandwidth_limit: limit } = bucket;
  const [text, setText] = useState(formatGib(limit));
  const [isRefused, setRefused] = useState(false);
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (bytes: number | null) => setBandwidthLimit(id, bytes),
    onSuccess: (saved) => {
      setText(formatGib(saved.bandwidth_limit));
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
          const bytes = parseGib(text.trim());
          setRefused(bytes === 'invalid');
          if (bytes !== 'invalid') save.mutate(bytes);
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
            label="Limit per month, in GiB"
            inputMode="decimal"
            autoComplete="off"
            placeholder="No limit"
            className="numbers"
            value={text}
            error={isRefused ? INVALID : null}
            help={`${formatBytes(bandwidth)} sent this month. Leave empty for no limit.`}
            onValue={setText}
          />
        </div>
        <Button type="submit" className="btn-primary self-start" pending={save.isPending}>
          Save Limit
        </Button>
      </form>
    </Panel>
  );
}
