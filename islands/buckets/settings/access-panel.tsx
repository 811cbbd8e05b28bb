import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type DeliveryRules,
  MAX_CORS_ORIGINS,
  MAX_IP_RANGES,
  MAX_PATH_AGE,
  MAX_REFERRERS,
  MAX_REQUESTS_PER_MINUTE,
  parseOrigin,
  parseReferrer,
} from '../../../server/contract/delivery-limits.ts';
import type { BucketWire } from '../../../server/contract/wire.ts';
import { notify } from '../../runtime/notify.ts';
import { Button } from '../../ui/form/button.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { bucketKey, setDeliveryRules } from './settings-calls.ts';

type Name = keyof DeliveryRules;
type Field = { label: string; help: string; invalid: string } & (
  | { kind: 'list'; placeholder: string; max: number; isValid: (entry: string) => boolean }
  | { kind: 'number'; min: number; max: number; isOptional: boolean }
);

const isIpRange = (entry: string) => /^[\da-f.:]+(\/\d{1,3})?$/i.test(entry);
const IP_RANGES = {
  kind: 'list',
  max: MAX_IP_RANGES,
  isValid: isIpRange,
  invalid: `Enter up to ${MAX_IP_RANGES} addresses or ranges such as 203.0.113.7 or 2001:db8::/32, separated by commas.`,
} as const;
const LIMIT = {
  kind: 'number',
  min: 1,
  max: MAX_REQUESTS_PER_MINUTE,
  isOptional: true,
  invalid: 'Enter a whole number from 1 to 1,000,000, or leave the field empty.',
} as const;

const FIELDS: Record<Name, Field> = {
  allowed_referrers: {
    kind: 'list',
    label: 'Allowed sites',
    placeholder: 'All sites',
    help: 'Separate sites with commas. *.example.com allows every site below example.com. Apps and direct links still work.',
    max: MAX_REFERRERS,
    isValid: (entry) => parseReferrer(entry) !== null,
    invalid: `Enter up to ${MAX_REFERRERS} sites such as example.com or *.example.com, separated by commas.`,
  },
  cors_origins: {
    kind: 'list',
    label: 'Allowed origins (CORS)',
    placeholder: 'All origins',
    help: 'Origins whose scripts can read the files, such as https://example.com.',
    max: MAX_CORS_ORIGINS,
    isValid: (entry) => parseOrigin(entry) !== null,
    invalid: `Enter up to ${MAX_CORS_ORIGINS} origins such as https://example.com, separated by commas.`,
  },
  allowed_ips: {
    ...IP_RANGES,
    label: 'Allowed IP ranges',
    placeholder: 'All addresses',
    help: 'Only these addresses can open the files, such as 203.0.113.0/24.',
  },
  denied_ips: {
    ...IP_RANGES,
    label: 'Blocked IP ranges',
    placeholder: 'None',
    help: 'These addresses can’t open the files, even if they are in an allowed range.',
  },
  requests_per_client: {
    ...LIMIT,
    label: 'Requests per minute and client',
    help: 'Counted by IP address. A video player sends a request every few seconds.',
  },
  requests_per_file: {
    ...LIMIT,
    label: 'Requests per minute and file',
    help: 'From all clients together. All parts of a video count as one file.',
  },
  path_max_age: {
    kind: 'number',
    min: 0,
    max: MAX_PATH_AGE,
    isOptional: false,
    label: 'Cache time of paths, seconds',
    help: 'How long browsers and CDNs keep a public file by its path. With 0, they check for a new version each time.',
    invalid: 'Enter a whole number from 0 to 31,536,000, which is a year.',
  },
};
const NAMES = Object.keys(FIELDS) as Name[];

/** Sets who may open the bucket's files, how often, and how long caches keep them by path. */
export function AccessPanel({ bucket }: { bucket: BucketWire }) {
  // What was typed. A field without it shows the current rule, which another tab may change.
  const [typed, setTyped] = useState<Partial<Record<Name, string>>>({});
  const [invalid, setInvalid] = useState<Name | null>(null);
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (rules: Partial<DeliveryRules>) => setDeliveryRules(bucket.id, rules),
    onSuccess: (saved) => {
      setTyped({});
      client.setQueryData(bucketKey(bucket.id), saved);
      notify.success('Access rules saved.');
    },
  });
  const changed = NAMES.filter(
    (name) => (typed[name] ?? toText(bucket, name)) !== toText(bucket, name),
  );
  const submit = () => {
    const rules = changed.map(
      (name) => [name, parseRule(FIELDS[name], typed[name] ?? '')] as const,
    );
    const wrong = rules.find(([, rule]) => rule === undefined);
    if (wrong) return setInvalid(wrong[0]);
    save.mutate(Object.fromEntries(rules));
  };
  const renderField = (name: Name) => {
    const { label, help, ...field } = FIELDS[name];
    const input =
      field.kind === 'number'
        ? {
            inputMode: 'numeric' as const,
            className: 'numbers',
            ...(field.isOptional && { placeholder: 'No limit' }),
          }
        : { placeholder: field.placeholder, autoCapitalize: 'none', spellCheck: false };
    return (
      <TextField
        key={name}
        label={label}
        help={help}
        autoComplete="off"
        {...input}
        value={typed[name] ?? toText(bucket, name)}
        error={invalid === name ? field.invalid : null}
        onValue={(value: string) => {
          setInvalid(null);
          setTyped({ ...typed, [name]: value });
        }}
      />
    );
  };

  return (
    <Panel
      title="Access rules"
      text="Choose which sites and networks can open this bucket’s files, how often, and how long they are cached by path."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <div className="grid gap-4 md:grid-cols-2">{NAMES.map(renderField)}</div>
        <Button
          type="submit"
          className="btn-primary self-start"
          disabled={changed.length === 0}
          pending={save.isPending}
        >
          Save Rules
        </Button>
      </form>
    </Panel>
  );
}

function toText(rules: DeliveryRules, name: Name): string {
  const rule = rules[name];
  return Array.isArray(rule) ? rule.join(', ') : String(rule ?? '');
}

/** Returns the rule that a text stands for; undefined where it is none. */
function parseRule(field: Field, text: string): string[] | number | null | undefined {
  if (field.kind === 'number') return parseNumber(field, text);
  const entries = text.split(/[\s,]+/).filter(Boolean);
  return entries.length <= field.max && entries.every(field.isValid) ? entries : undefined;
}

/** Returns a number, or null for none where it is optional; undefined for text that is neither. */
function parseNumber(
  { min, max, isOptional }: Extract<Field, { kind: 'number' }>,
  text: string,
): number | null | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return isOptional ? null : undefined;
  const number = /^\d{1,8}$/.test(trimmed) ? Number(trimmed) : -1;
  return number >= min && number <= max ? number : undefined;
}
