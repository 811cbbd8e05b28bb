import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type DeliveryRules,
  MAX_REFERRERS,
  MAX_REQUESTS_PER_MINUTE,
  parseReferrer,
} from '../../../server/contract/delivery-limits.ts';
import type { BucketWire } from '../../../server/contract/wire.ts';
import { notify } from '../../runtime/notify.ts';
import { Button } from '../../ui/form/button.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { bucketKey, setDeliveryRules } from './settings-calls.ts';

type Name = keyof DeliveryRules;
/** What was typed; null while a field shows the current rule, which another tab may change. */
const NOTHING_TYPED: Record<Name, string | null> = {
  allowed_referrers: null,
  requests_per_client: null,
  requests_per_file: null,
};

const INVALID: Record<Name, string> = {
  allowed_referrers: `Enter up to ${MAX_REFERRERS} sites such as example.com or *.example.com, separated by commas.`,
  requests_per_client: `Enter a whole number from 1 to 1,000,000, or leave the field empty.`,
  requests_per_file: `Enter a whole number from 1 to 1,000,000, or leave the field empty.`,
};

/** Sets which sites may show the bucket's files, and how often clients may request them. */
export function AccessPanel({ bucket }: { bucket: BucketWire }) {
  const [typed, setTyped] = useState(NOTHING_TYPED);
  const [invalid, setInvalid] = useState<Name | null>(null);
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (rules: DeliveryRules) => setDeliveryRules(bucket.id, rules),
    onSuccess: (saved) => {
      setTyped(NOTHING_TYPED);
      client.setQueryData(bucketKey(bucket.id), saved);
      notify.success('Access rules saved.');
    },
  });
  const current: Record<Name, string> = {
    allowed_referrers: bucket.allowed_referrers.join(', '),
    requests_per_client: String(bucket.requests_per_client ?? ''),
    requests_per_file: String(bucket.requests_per_file ?? ''),
  };
  const textOf = (name: Name) => typed[name] ?? current[name];
  const submit = () => {
    const allowed_referrers = parseSites(textOf('allowed_referrers'));
    const requests_per_client = parseLimit(textOf('requests_per_client'));
    const requests_per_file = parseLimit(textOf('requests_per_file'));
    if (!allowed_referrers) return setInvalid('allowed_referrers');
    if (requests_per_client === undefined) return setInvalid('requests_per_client');
    if (requests_per_file === undefined) return setInvalid('requests_per_file');
    save.mutate({ allowed_referrers, requests_per_client, requests_per_file });
  };
  const field = (name: Name) => ({
    autoComplete: 'off',
    value: textOf(name),
    error: invalid === name ? INVALID[name] : null,
    onValue: (value: string) => {
      setInvalid(null);
      setTyped({ ...typed, [name]: value });
    },
  });
  const limit = { inputMode: 'numeric' as const, placeholder: 'No limit', className: 'numbers' };
  const names = Object.keys(current) as Name[];

  return (
    <Panel
      title="Hotlink protection"
      text="Choose which sites can show this bucket’s files, and limit how often they are requested."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextField
          label="Allowed sites"
          placeholder="All sites"
          autoCapitalize="none"
          spellCheck={false}
          help="Separate sites with commas. *.example.com allows every site below example.com. Apps and direct links still work."
          {...field('allowed_referrers')}
        />
        <div className="grid gap-4 md:grid-cols-2">
          <TextField
            label="Requests per minute and client"
            help="Counted by IP address. A video player sends a request every few seconds."
            {...limit}
            {...field('requests_per_client')}
          />
          <TextField
            label="Requests per minute and file"
            help="From all clients together. All parts of a video count as one file."
            {...limit}
            {...field('requests_per_file')}
          />
        </div>
        <Button
          type="submit"
          className="btn-primary self-start"
          disabled={names.every((name) => textOf(name) === current[name])}
          pending={save.isPending}
        >
          Save Rules
        </Button>
      </form>
    </Panel>
  );
}

/** Returns the sites of a text; undefined where one is none, or there are too many. */
function parseSites(text: string): string[] | undefined {
  const sites = text.split(/[\s,]+/).filter(Boolean);
  const isValid = sites.length <= MAX_REFERRERS && sites.every((site) => parseReferrer(site));
  return isValid ? sites : undefined;
}

/** Returns a number of requests, or null for no limit; undefined for text that is neither. */
function parseLimit(text: string): number | null | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const limit = /^\d{1,7}$/.test(trimmed) ? Number(trimmed) : 0;
  return limit >= 1 && limit <= MAX_REQUESTS_PER_MINUTE ? limit : undefined;
}
