import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { BUCKET_NAME_MAX } from '../../../server/contract/limits.ts';
import { REGIONS, type Region } from '../../../server/contract/regions.ts';
import { call } from '../../runtime/api.ts';
import { useIdempotency } from '../../runtime/idempotency.ts';
import { Dialog, DialogButtons } from '../../ui/dialog/dialog.tsx';
import { Button } from '../../ui/form/button.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { useFormError } from '../../ui/form/form-error.ts';
import { regionNote, useSeparateRegions } from '../regions.ts';
import { BUCKETS_KEY } from './bucket-query.ts';

const regions = Object.entries(REGIONS) as [Region, string][];

/** The 'Create Bucket' dialog. `onCreated` is called after the lists were reloaded and it has closed. */
export function CreateBucket({
  open,
  onClose,
  onCreated,
}: {
  open: boolean;
  onClose: () => void;
  onCreated?: (bucketId: string) => void;
}) {
  const [name, setName] = useState('');
  const [region, setRegion] = useState<Region | null>(null);
  const client = useQueryClient();
  const separateRegions = useSeparateRegions(open);

  const { header, renew } = useIdempotency();
  const create = useMutation({
    mutationFn: () => {
      const body = { name: name.trim(), region };
      return call('POST /buckets', { body, headers: header(JSON.stringify(body)) });
    },
    onSuccess: async ({ id }) => {
      renew();
      await client.invalidateQueries({ queryKey: BUCKETS_KEY });
      close();
      onCreated?.(id);
    },
  });

  const form = useFormError(create);
  const close = () => {
    onClose();
    setName('');
    setRegion(null);
    form.clear();
  };

  return (
    <Dialog
      open={open}
      locked={create.isPending}
      title="Create Bucket"
      text="A bucket stores files and has its own API key."
      onClose={close}
    >
      <form
        className="flex flex-col gap-5"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <TextField
          label="Name"
          required
          pattern=".*\S.*"
          title="At least one letter or digit"
          maxLength={BUCKET_NAME_MAX}
          autoComplete="off"
          value={name}
          error={form.error}
          onValue={(value) => {
            form.clear();
            setName(value);
          }}
        />
        {separateRegions && separateRegions.length > 0 && (
          <fieldset>
            <legend className="mb-1.5 font-medium">Location hint (optional)</legend>
            <div className="grid grid-cols-1 gap-2 sm:grid-cols-2">
              {regions.map(([code, label]) => (
                <button
                  key={code}
                  type="button"
                  aria-pressed={region === code}
                  className="flex min-h-9 cursor-pointer items-center justify-between gap-2 rounded-md border border-edge px-3 text-left max-sm:min-h-10 active:bg-base-300 hover:border-quiet aria-pressed:border-primary aria-pressed:text-primary"
                  onClick={() => setRegion(region === code ? null : code)}
                >
                  {label}
                  <span className="font-mono text-xs text-quiet">{code}</span>
                </button>
              ))}
            </div>
            <p className="mt-2 text-xs text-quiet">{regionNote(separateRegions)}</p>
          </fieldset>
        )}
        <DialogButtons>
          <Button className="btn-ghost" disabled={create.isPending} onClick={close}>
            Cancel
          </Button>
          <Button type="submit" className="btn-primary" pending={create.isPending}>
            Create
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
