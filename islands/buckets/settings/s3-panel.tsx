import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { BucketWire } from '../../../server/contract/wire.ts';
import { notify } from '../../runtime/notify.ts';
import { Button } from '../../ui/form/button.tsx';
import { Choices } from '../../ui/form/choices.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { useFormError } from '../../ui/form/form-error.ts';
import { Panel } from '../../ui/panel.tsx';
import { bucketKey, type S3Settings, setS3 } from './settings-calls.ts';

type Choice = { value: 'off' | 'on'; label: string; text: string };

const CHOICES: Choice[] = [
  {
    value: 'off',
    label: 'Store only',
    text: 'Files are delivered exactly as S3 clients upload them.',
  },
  {
    value: 'on',
    label: 'Process',
    text: 'Videos get HLS and images are optimised. S3 clients still get the original, which counts towards storage.',
  },
];

const LIST_CHOICES: Choice[] = [
  { value: 'off', label: 'Private', text: 'Only your access keys can list this bucket.' },
  {
    value: 'on',
    label: 'Public',
    text: 'Anyone can list its files with an S3 client. Private files can be listed, but not opened.',
  },
];

const PUBLIC_CHOICES: Choice[] = [
  { value: 'off', label: 'Allowed', text: 'Anyone with the URL can open public files.' },
  {
    value: 'on',
    label: 'Blocked',
    text: 'Public files are treated as private: opening one needs a signed URL or a key.',
  },
];

const SWITCHES = [
  {
    setting: 'process_s3_uploads',
    legend: 'Images and videos uploaded by S3',
    choices: CHOICES,
  },
  { setting: 'list_public', legend: 'Listing', choices: LIST_CHOICES },
  { setting: 'block_public_access', legend: 'Public access', choices: PUBLIC_CHOICES },
] as const;

/** Sets how S3 clients know and use the bucket, and what is public in it. */
export function S3Panel({ bucket }: { bucket: BucketWire }) {
  const client = useQueryClient();
  const [name, setName] = useState<string | null>(null);
  const save = useMutation({
    mutationFn: (settings: Partial<S3Settings>) => setS3(bucket.id, settings),
    onSuccess: (saved, { s3_name }) => {
      if (s3_name !== undefined) setName(null);
      client.setQueryData(bucketKey(bucket.id), saved);
      notify.success('S3 settings saved.');
    },
  });
  const { error, clear } = useFormError(save);
  const text = name ?? bucket.s3_name ?? '';
  return (
    <Panel
      title="S3"
      text="How S3 clients use this bucket. Changing the name breaks clients that use the old one; the bucket ID always works."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate({ s3_name: text.trim() === '' ? null : text.trim() });
        }}
      >
        <TextField
          label="S3 name"
          autoComplete="off"
          spellCheck={false}
          placeholder={bucket.id}
          className="font-mono text-xs"
          maxLength={63}
          value={text}
          error={error}
          help="3 to 63 lower-case letters, digits, hyphens and dots. Leave empty to use the bucket ID only."
          onValue={(value) => {
            clear();
            setName(value);
          }}
        />
        <Button type="submit" className="btn-primary self-start" pending={save.isPending}>
          Save Changes
        </Button>
      </form>
      {SWITCHES.map(({ setting, legend, choices }) => (
        <div key={setting} className="mt-5">
          <p className="mb-1.5 font-medium">{legend}</p>
          <Choices
            legend={legend}
            choices={choices}
            chosen={bucket[setting] ? 'on' : 'off'}
            disabled={save.isPending}
            onChoose={(value) => {
              if ((value === 'on') === bucket[setting] || save.isPending) return;
              save.mutate({ [setting]: value === 'on' });
            }}
          />
        </div>
      ))}
    </Panel>
  );
}
