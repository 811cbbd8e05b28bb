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

const CHOICES: { value: 'off' | 'on'; label: string; text: string }[] = [
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

/** Sets the name by which S3 clients know the bucket, and whether what they upload is processed. */
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
          Save S3 name
        </Button>
      </form>
      <div className="mt-5">
        <p className="mb-1.5 font-medium">Images and videos uploaded by S3</p>
        <Choices
          legend="Images and videos uploaded by S3"
          choices={CHOICES}
          chosen={bucket.process_s3_uploads ? 'on' : 'off'}
          disabled={save.isPending}
          onChoose={(value) => {
            if ((value === 'on') === bucket.process_s3_uploads || save.isPending) return;
            save.mutate({ process_s3_uploads: value === 'on' });
          }}
        />
      </div>
    </Panel>
  );
}
