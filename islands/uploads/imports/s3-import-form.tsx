import { useState } from 'react';
import type { Access } from '../../../server/contract/wire.ts';
import { Button } from '../../ui/form/button.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { useFormError } from '../../ui/form/form-error.ts';
import { useSingleAction } from '../../ui/form/single-action.ts';
import { AccessField } from '../dialogs/upload-fields.tsx';
import type { useS3Imports } from './use-s3-imports.ts';

const EMPTY = {
  ...{ endpoint: '', region: '', access_key_id: '', secret_access_key: '' },
  ...{ bucket: '', prefix: '', access: 'private' as Access },
};

type Props = {
  /** The folder into which the objects go; '' for the top. */
  folder: string;
  start: ReturnType<typeof useS3Imports>['start'];
  onClose: () => void;
};

/** Asks for the S3 server, its access key, and what is copied. */
export function S3ImportForm({ folder, start, onClose }: Props) {
  const [form, setForm] = useState(EMPTY);
  const problem = useFormError(start);
  const begin = useSingleAction(start.isPending);
  const change = (changed: Partial<typeof EMPTY>) => {
    problem.clear();
    setForm({ ...form, ...changed });
  };
  const submit = () => {
    const { region, ...body } = form;
    const missing =
      form.bucket === '' || form.access_key_id === '' || form.secret_access_key === '';
    if (missing) problem.report('Enter a bucket and its access key.');
    else if (begin()) {
      start.mutate({ ...body, folder, ...(region !== '' && { region }) });
    }
  };
  const field = (name: Exclude<keyof typeof EMPTY, 'access'>) => ({
    ...{ value: form[name], disabled: start.isPending, autoComplete: 'off', spellCheck: false },
    onValue: (value: string) => change({ [name]: value }),
  });

  return (
    <form
      noValidate
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <TextField
        label="Endpoint"
        type="url"
        placeholder="https://minio.example.com"
        help="The URL of the S3 server. Leave empty for Amazon S3."
        error={problem.error}
        {...field('endpoint')}
      />
      <div className="grid gap-5 sm:grid-cols-2">
        <TextField label="Bucket" placeholder="photos" {...field('bucket')} />
        <TextField label="Region" placeholder="us-east-1" {...field('region')} />
        <TextField label="Access key ID" {...field('access_key_id')} />
        <TextField
          label="Secret access key"
          type="password"
          {...field('secret_access_key')}
          autoComplete="new-password"
        />
      </div>
      <TextField
        label="Folder of that bucket"
        placeholder="2026/"
        help="Leave empty to import the whole bucket."
        {...field('prefix')}
      />
      <AccessField value={form.access} onValue={(access) => change({ access })} />
      <div className="flex flex-wrap justify-end gap-2">
        <Button className="btn-ghost" disabled={start.isPending} onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" className="btn-primary" pending={start.isPending}>
          Import
        </Button>
      </div>
    </form>
  );
}
