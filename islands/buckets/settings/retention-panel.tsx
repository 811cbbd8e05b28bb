import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { MAX_DELETED_DAYS, MAX_VERSIONS } from '../../../server/contract/limits.ts';
import type { BucketWire } from '../../../server/contract/wire.ts';
import { notify } from '../../runtime/notify.ts';
import { Button } from '../../ui/form/button.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { bucketKey, type Retention, setRetention } from './settings-calls.ts';

const MAXIMA: Retention = { keep_deleted_days: MAX_DELETED_DAYS, keep_versions: MAX_VERSIONS };

/** What was typed of each number; null while a field shows the current one, which another tab may change. */
type Typed = Record<keyof Retention, string | null>;
const NOTHING_TYPED: Typed = { keep_deleted_days: null, keep_versions: null };

/** Says how long the bucket keeps deleted files, and how many earlier versions of a file. */
export function RetentionPanel({ bucket }: { bucket: BucketWire }) {
  const [typed, setTyped] = useState(NOTHING_TYPED);
  const [invalid, setInvalid] = useState<keyof Retention | null>(null);
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (retention: Retention) => setRetention(bucket.id, retention),
    onSuccess: (saved) => {
      setTyped(NOTHING_TYPED);
      client.setQueryData(bucketKey(bucket.id), saved);
      notify.success('Trash and versions saved.');
    },
  });
  const textOf = (name: keyof Retention) => typed[name] ?? String(bucket[name]);
  const submit = () => {
    const keep_deleted_days = parseCount(textOf('keep_deleted_days'), MAXIMA.keep_deleted_days);
    const keep_versions = parseCount(textOf('keep_versions'), MAXIMA.keep_versions);
    if (keep_deleted_days === undefined) setInvalid('keep_deleted_days');
    else if (keep_versions === undefined) setInvalid('keep_versions');
    else save.mutate({ keep_deleted_days, keep_versions });
  };
  const field = (name: keyof Retention) => ({
    inputMode: 'numeric' as const,
    autoComplete: 'off',
    className: 'numbers',
    value: textOf(name),
    error: invalid === name ? `Enter a whole number from 0 to ${MAXIMA[name]}.` : null,
    onValue: (value: string) => {
      setInvalid(null);
      setTyped({ ...typed, [name]: value.trim() });
    },
  });
  return (
    <Panel
      title="Trash and versions"
      text="Deleted files and earlier versions count towards storage. Changes apply to files deleted or replaced from now on."
    >
      <form
        className="flex flex-col gap-4"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <div className="grid gap-4 md:grid-cols-2">
          <TextField
            label="Keep deleted files, days"
            help="0 deletes files permanently."
            {...field('keep_deleted_days')}
          />
          <TextField
            label="Keep earlier versions"
            help="The maximum number of versions per file. 0 keeps none."
            {...field('keep_versions')}
          />
        </div>
        <Button
          type="submit"
          className="btn-primary self-start"
          disabled={
            textOf('keep_deleted_days') === String(bucket.keep_deleted_days) &&
            textOf('keep_versions') === String(bucket.keep_versions)
          }
          pending={save.isPending}
        >
          Save Changes
        </Button>
      </form>
    </Panel>
  );
}

/** Returns a count up to `maximum`; undefined for other text. */
function parseCount(text: string, maximum: number): number | undefined {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : maximum + 1;
  return count <= maximum ? count : undefined;
}
