import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { BucketWire } from '../../../server/contract/wire.ts';
import { notify } from '../../runtime/notify.ts';
import { Button } from '../../ui/form/button.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { bucketKey } from './settings-calls.ts';

/** A rule in a text field. */
export type RuleField<Rule> = {
  label: string;
  help: string;
  placeholder: string;
  inputMode: 'text' | 'numeric' | 'decimal';
  /** The message for text that is no rule. */
  invalid: string;
  toText: (rule: Rule) => string;
  /** Returns the rule that a text stands for; undefined where it is none. */
  parse: (text: string) => Rule | undefined;
};

type Props<Rules> = {
  bucket: BucketWire & Rules;
  title: string;
  text: string;
  saved: string;
  fields: { [Name in keyof Rules]: RuleField<Rules[Name]> };
  save: (rules: Partial<Rules>) => Promise<BucketWire>;
};

/** Changes rules of a bucket. Each line that is wrong says so, and the first one is focused. */
export function RulesForm<Rules extends object>(props: Props<Rules>) {
  type Name = keyof Rules & string;
  const { bucket, fields, save: send } = props;
  const names = Object.keys(fields) as Name[];
  // What was typed. A field without it shows the current rule, which another tab may change.
  const [typed, setTyped] = useState<Partial<Record<Name, string>>>({});
  const [wrong, setWrong] = useState<Name[]>([]);
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: send,
    onSuccess: (saved) => {
      setTyped({});
      client.setQueryData(bucketKey(bucket.id), saved);
      notify.success(props.saved);
    },
  });
  const current = (name: Name) => fields[name].toText(bucket[name]);
  const textOf = (name: Name) => typed[name] ?? current(name);
  const changed = names.filter((name) => textOf(name) !== current(name));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const rules = changed.map((name) => [name, fields[name].parse(textOf(name))] as const);
    const invalid = rules.flatMap(([name, rule]) => (rule === undefined ? [name] : []));
    setWrong(invalid);
    const [first] = invalid;
    if (first === undefined) return save.mutate(Object.fromEntries(rules) as Partial<Rules>);
    const input = event.currentTarget.elements.namedItem(first);
    if (input instanceof HTMLElement) input.focus();
  };
  const renderField = (name: Name) => {
    const { label, help, placeholder, inputMode, invalid } = fields[name];
    return (
      <TextField
        key={name}
        {...{ name, label, help, placeholder, inputMode }}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        className={inputMode === 'text' ? '' : 'numbers'}
        value={textOf(name)}
        error={wrong.includes(name) ? invalid : null}
        onValue={(value) => {
          setWrong(wrong.filter((other) => other !== name));
          setTyped({ ...typed, [name]: value });
        }}
      />
    );
  };
  return (
    <Panel title={props.title} text={props.text}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <div className="grid gap-4 md:grid-cols-2">{names.map(renderField)}</div>
        <Button
          type="submit"
          className="btn-primary self-start"
          disabled={changed.length === 0}
          pending={save.isPending}
        >
          Save Changes
        </Button>
      </form>
    </Panel>
  );
}

/** What a field for a list has beside its label, help, placeholder and message. */
export const listOf = (max: number, isValid: (entry: string) => boolean) => ({
  inputMode: 'text' as const,
  toText: (rule: string[]) => rule.join(', '),
  parse: (text: string) => {
    const entries = text.split(/[\s,]+/).filter(Boolean);
    return entries.length <= max && entries.every(isValid) ? entries : undefined;
  },
});
