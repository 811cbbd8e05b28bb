import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { WEBHOOK_MAX } from '../../../../server/contract/limits.ts';
import type { BucketWire } from '../../../../server/contract/wire.ts';
import { notify } from '../../../runtime/notify.ts';
import { Button } from '../../../ui/form/button.tsx';
import { TextField } from '../../../ui/form/field.tsx';
import { useFormError } from '../../../ui/form/form-error.ts';
import { bucketKey, saveBucket } from '../settings-calls.ts';

/** The form of the webhook's URL, which the general settings have too. */
export function WebhookUrl({ bucket: { id, webhook } }: { bucket: BucketWire }) {
  const [changed, setChanged] = useState<string | null>(null);
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: () => saveBucket(id, { webhook: changed ?? webhook }),
    onSuccess: (saved) => {
      setChanged(null);
      client.setQueryData(bucketKey(id), saved);
      notify.success('Settings saved.');
    },
  });
  const { error, clear } = useFormError(save);
  return (
    <form
      className="flex flex-wrap items-start gap-x-2 gap-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <div className="min-w-0 grow basis-72">
        <TextField
          label="Webhook URL"
          type="url"
          autoComplete="off"
          spellCheck={false}
          placeholder="https://example.com/hooks/wharf"
          className="font-mono text-xs"
          maxLength={WEBHOOK_MAX}
          value={changed ?? webhook}
          error={error}
          help="Leave empty to disable."
          onValue={(value) => {
            clear();
            setChanged(value.trim());
          }}
        />
      </div>
      {/* In line with the field, whose label is above it. */}
      <Button type="submit" className="btn-primary sm:mt-[1.625rem]" pending={save.isPending}>
        Save Changes
      </Button>
    </form>
  );
}
