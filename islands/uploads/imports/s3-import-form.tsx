import { useState } from 'react';
import type { Access } from '../../../server/contract/wire.ts';
import { DialogButtons } from '../../ui/dialog/dialog.tsx';
import { Button } from '../../ui/form/button.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { useFormError } from '../../ui/form/form-error.ts';
import { useSingleAction } from '../../ui/form/single-action.ts';
import { AccessField } from '../dialogs/upload-fields.tsx';
import type { useBucketSource } from './use-bucket-source.ts';
import type { useS3Imports } from './use-s3-imports.ts';

const EMPTY = {
  ...{ endpoint: '', region: '', access_key_id: '', secret_access_key: '' },
  ...{ bucket: '', prefix: '', access: 'private' as Access },
};

type Props = {
  /** The folder into which the objects go; '' for the top. */
  folder: string;
  /** Copies all of it. */
  start: ReturnType<typeof useS3Imports>['start'];
  /** Copies each file when it is first opened. */
  setSource: ReturnType<typeof useBucketSource>['set'];
  onClose: () => void;
};

/** Asks for the S3 server, its access key, and what is copied. */
export function S3ImportForm({ folder, start, setSource, onClose }: Props) {
  const [form, setForm] = useState(EMPTY);
  const isPending = start.isPending || setSource.isPending;
  const problem = useFormError({
    error: start.error ?? setSource.error,
    reset() {
      start.reset();
      setSource.reset();
    },
  });
  const begin = useSingleAction(isPending);
  const change = (changed: Partial<typeof EMPTY>) => {
    problem.clear();
    setForm({ ...form, ...changed });
  };
  const submit = (mutation: Props['start'] | Props['setSource']) => {
    const { region, ...body } = form;
    const missing =
      form.bucket === '' || form.access_key_id === '' || form.secret_access_key === '';
    if (missing) problem.report('Enter a bucket and its access key.');
    else if (begin()) {
      (mutation === start ? setSource : start).reset();
      mutation.mutate({ ...body, folder, ...(region !== '' && { region }) });
    }
  };
  const field = (name: Exclude<keyof typeof EMPTY, 'access'>) => ({
    ...{ value: form[name], disabled: isPending, autoComplete: 'off', spellCheck: false },
    onValue: (value: string) => change({ [name]: value }),
  });

  return (
    <form
      noValidate
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        submit(start);
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
        label="Folder in that bucket"
        placeholder="2026/"
        help="Leave empty to import the whole bucket."
        {...field('prefix')}
      />
      <AccessField value={form.access} onValue={(access) => change({ access })} />
      <p className="text-xs text-pretty text-quiet">
        Import copies everything now. Fetch on first read copies a file when somebody first opens
        it, so that you can switch over while the other server still runs. You can use both.
      </p>
      <DialogButtons>
        <Button className="btn-ghost" disabled={isPending} onClick={onClose}>
          Cancel
        </Button>
        <Button
          pending={setSource.isPending}
          disabled={start.isPending}
          onClick={() => submit(setSource)}
        >
          Fetch on first read
        </Button>
        <Button
          type="submit"
          disabled={setSource.isPending}
          className="btn-primary"
          pending={start.isPending}
        >
          Import
        </Button>
      </DialogButtons>
    </form>
  );
}
