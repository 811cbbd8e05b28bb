import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatBytes } from '../../../server/contract/units.ts';
import type { BucketWire } from '../../../server/contract/wire.ts';
import { notify } from '../../runtime/notify.ts';
import { Time } from '../../ui/date/time.tsx';
import { parseUnits, toUnits } from '../../ui/form/binary-units.ts';
import { Button } from '../../ui/form/button.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Warning } from '../../ui/warning.tsx';
import { type BandwidthLimits, bucketKey, setBandwidthLimits } from './settings-calls.ts';

const INVALID =
  'Enter a number from 0.01 to 1,048,576 with up to two decimals, or leave the field empty.';

/** What was typed of each limit; null while a field shows the current one, which another tab may change. */
type Typed = Record<keyof BandwidthLimits, string | null>;
const NOTHING_TYPED: Typed = { limit: null, daily_limit: null };

/** Limits what the bucket delivers in a month and in a day, and says when a limit is reached. */
export function BandwidthPanel({ bucket }: { bucket: BucketWire }) {
  const { id, bandwidth, bandwidth_limit, bandwidth_daily_limit, delivery_stopped_until } = bucket;
  const current = {
    limit: toUnits(bandwidth_limit),
    daily_limit: toUnits(bandwidth_daily_limit),
  };
  const [typed, setTyped] = useState(NOTHING_TYPED);
  const [invalid, setInvalid] = useState<keyof BandwidthLimits | null>(null);
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (limits: BandwidthLimits) => setBandwidthLimits(id, limits),
    onSuccess: (saved) => {
      setTyped(NOTHING_TYPED);
      client.setQueryData(bucketKey(id), saved);
      const isUnlimited = saved.bandwidth_limit === null && saved.bandwidth_daily_limit === null;
      notify.success(isUnlimited ? 'Limits removed.' : 'Limits saved.');
    },
  });
  const textOf = (name: keyof BandwidthLimits) => typed[name] ?? current[name];
  const submit = () => {
    const limit = parseLimit(textOf('limit'));
    const daily_limit = parseLimit(textOf('daily_limit'));
    setInvalid(limit === undefined ? 'limit' : daily_limit === undefined ? 'daily_limit' : null);
    if (limit !== undefined && daily_limit !== undefined) save.mutate({ limit, daily_limit });
  };
  const field = (name: keyof BandwidthLimits) => ({
    inputMode: 'decimal' as const,
    autoComplete: 'off',
    placeholder: 'No limit',
    className: 'numbers',
    value: textOf(name),
    error: invalid === name ? INVALID : null,
    onValue: (value: string) => {
      setInvalid(null);
      setTyped({ ...typed, [name]: value.trim() });
    },
  });
  const isStopped =
    delivery_stopped_until !== null && Date.parse(delivery_stopped_until) > Date.now();

  return (
    <Panel
      title="Bandwidth limits"
      text="When the bucket has sent this much, delivery stops until the month or day ends (UTC). We email you at 50%, 80% and 100%."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {isStopped && (
          <Warning>
            The limit is reached, so files aren’t delivered until{' '}
            <Time iso={delivery_stopped_until} withTime />. Raise or remove the limit to resume
            delivery now.
          </Warning>
        )}
        <div className="grid gap-4 md:grid-cols-2">
          <TextField
            label="Limit per month, GiB"
            help={`${formatBytes(bandwidth)} sent this month. Leave empty for no limit.`}
            {...field('limit')}
          />
          <TextField
            label="Limit per day, GiB"
            help="Caps what one busy day can cost. Leave empty for no limit."
            {...field('daily_limit')}
          />
        </div>
        <Button
          type="submit"
          className="btn-primary self-start"
          disabled={
            textOf('limit') === current.limit && textOf('daily_limit') === current.daily_limit
          }
          pending={save.isPending}
        >
          Save Changes
        </Button>
      </form>
    </Panel>
  );
}

/** Returns bytes, or null for no limit; undefined for text that is neither. */
function parseLimit(text: string): number | null | undefined {
  const bytes = parseUnits(text);
  return bytes === 0 ? undefined : bytes;
}
