import { useMutation, useQueryClient } from '@tanstack/react-query';
import X from 'lucide-react/icons/x';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import {
  type ExpiryRule,
  isPathPrefix,
  MAX_EXPIRY_DAYS,
  MAX_EXPIRY_PREFIX_LENGTH,
  MAX_EXPIRY_RULES,
} from '../../../server/contract/files/expiry-rules.ts';
import type { BucketWire } from '../../../server/contract/wire.ts';
import { notify } from '../../runtime/notify.ts';
import { Button } from '../../ui/form/button.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { useFormError } from '../../ui/form/form-error.ts';
import { Panel } from '../../ui/panel.tsx';
import { bucketKey, setRetention } from './settings-calls.ts';

/** A rule as it is typed. The key tells it from the others while it has no text; the id is an S3 client's. */
type Row = { key: number; prefix: string; days: string; id?: string };
type Wrong = { key: number; field: 'prefix' | 'days'; text: string };

const toRows = (rules: ExpiryRule[]): Row[] =>
  rules.map(({ prefix, days, id }, key) => ({ key, prefix, days: String(days), id }));

/** Sets after how many days the files of a folder, or with another beginning of their paths, are deleted. */
export function ExpiryPanel({ bucket }: { bucket: BucketWire }) {
  // What was edited; null while the current rules are shown, which another tab may change.
  const [edited, setEdited] = useState<Row[] | null>(null);
  const [wrong, setWrong] = useState<Wrong[]>([]);
  const form = useRef<HTMLFormElement>(null);
  /** The name of the control that gets the focus with the next rendering. */
  const focused = useRef<string | null>(null);
  useEffect(() => {
    if (focused.current !== null) focusOn(form.current, focused.current);
    focused.current = null;
  });
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (expiry_rules: ExpiryRule[]) => setRetention(bucket.id, { expiry_rules }),
    onSuccess: (saved) => {
      // The button that saves goes with the last rule, and the focus would go to the page.
      const hasFocus = form.current?.contains(document.activeElement);
      if (hasFocus && saved.expiry_rules.length === 0) focused.current = 'add';
      setEdited(null);
      client.setQueryData(bucketKey(bucket.id), saved);
      notify.success('Expiry rules saved.');
    },
  });
  const { error, clear } = useFormError(save);
  const rows = edited ?? toRows(bucket.expiry_rules);
  const change = (next: Row[]) => {
    clear();
    setWrong([]);
    setEdited(next);
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const found = wrongIn(rows);
    setWrong(found);
    const [first] = found;
    if (!first) {
      return save.mutate(rows.map(({ prefix, days, id }) => ({ prefix, days: Number(days), id })));
    }
    focusOn(event.currentTarget, `${first.field}-${first.key}`);
  };
  const add = () => {
    const key = Math.max(-1, ...rows.map((row) => row.key)) + 1;
    focused.current = `prefix-${key}`;
    change([...rows, { key, prefix: '', days: '30' }]);
  };
  const remove = (row: Row) => {
    focused.current = 'add';
    change(rows.filter((other) => other !== row));
  };
  return (
    <Panel
      title="Expiry rules"
      text="Delete files automatically some days after their upload. Deleted files go to the Trash if this bucket keeps them."
    >
      <form ref={form} className="flex flex-col gap-4" noValidate onSubmit={submit}>
        {rows.map((row, index) => (
          <RuleRow
            key={row.key}
            row={row}
            name={`Rule ${index + 1}`}
            wrong={wrong.filter(({ key }) => key === row.key)}
            onChange={(next) => change(rows.map((other) => (other === row ? next : other)))}
            onRemove={() => remove(row)}
          />
        ))}
        {error && (
          <p role="alert" className="text-xs text-error">
            {error}
          </p>
        )}
        {rows.length === 0 && <p className="text-quiet">No expiry rules.</p>}
        <div className="flex flex-wrap gap-2">
          {(rows.length > 0 || edited) && (
            <Button
              type="submit"
              className="btn-primary"
              disabled={edited === null}
              pending={save.isPending}
            >
              Save Changes
            </Button>
          )}
          <Button name="add" disabled={rows.length >= MAX_EXPIRY_RULES} onClick={add}>
            Add rule
          </Button>
        </div>
      </form>
    </Panel>
  );
}

function RuleRow({
  row,
  name,
  wrong,
  onChange,
  onRemove,
}: {
  row: Row;
  name: string;
  wrong: Wrong[];
  onChange: (row: Row) => void;
  onRemove: () => void;
}) {
  const errorOf = (field: Wrong['field']) => wrong.find((one) => one.field === field)?.text ?? null;
  return (
    <fieldset className="grid grid-cols-[minmax(0,1fr)_5.5rem_auto] items-start gap-3">
      <legend className="sr-only">{name}</legend>
      <TextField
        name={`prefix-${row.key}`}
        label="Paths that begin with"
        placeholder="All files"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={MAX_EXPIRY_PREFIX_LENGTH}
        value={row.prefix}
        error={errorOf('prefix')}
        onValue={(prefix) => onChange({ ...row, prefix })}
      />
      <TextField
        name={`days-${row.key}`}
        label="Days"
        inputMode="numeric"
        autoComplete="off"
        className="numbers"
        value={row.days}
        error={errorOf('days')}
        onValue={(days) => onChange({ ...row, days: days.trim() })}
      />
      <Button
        className="btn-ghost btn-square mt-6.5"
        aria-label={`Remove ${name.toLowerCase()}`}
        onClick={onRemove}
      >
        <X size={16} aria-hidden />
      </Button>
    </fieldset>
  );
}

function focusOn(form: HTMLFormElement | null, name: string) {
  const control = form?.elements.namedItem(name);
  if (control instanceof HTMLElement) control.focus();
}

/** Returns what is wrong with rules, in the order of their fields. */
function wrongIn(rows: Row[]): Wrong[] {
  return rows.flatMap(({ key, prefix, days }, index): Wrong[] => {
    const isRepeated = rows.slice(0, index).some((other) => other.prefix === prefix);
    const isCount = /^\d{1,4}$/.test(days) && Number(days) >= 1 && Number(days) <= MAX_EXPIRY_DAYS;
    const prefixText = !isPathPrefix(prefix)
      ? 'Enter the beginning of a path, such as logs/2026/.'
      : isRepeated && 'Another rule has the same beginning.';
    return [
      ...(prefixText ? [{ key, field: 'prefix' as const, text: prefixText }] : []),
      ...(isCount ? [] : [{ key, field: 'days' as const, text: `1 to ${MAX_EXPIRY_DAYS}.` }]),
    ];
  });
}
