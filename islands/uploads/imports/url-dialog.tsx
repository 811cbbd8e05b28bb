import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { IMPORT_URL_MAX } from '../../../server/contract/limits.ts';
import type { Access } from '../../../server/contract/wire.ts';
import { call } from '../../runtime/api.ts';
import { notify } from '../../runtime/notify.ts';
import { Dialog, DialogButtons } from '../../ui/dialog/dialog.tsx';
import { Button } from '../../ui/form/button.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { useFormError } from '../../ui/form/form-error.ts';
import { useSingleAction } from '../../ui/form/single-action.ts';
import type { DialogProps } from '../dialogs/upload-dialog.tsx';
import { AccessField, CheckboxField, ReplaceField } from '../dialogs/upload-fields.tsx';
import { rulesText } from '../dialogs/upload-rules.ts';

const EMPTY = { url: '', access: 'public' as Access, isExact: false, replace: false };

type Props = Omit<DialogProps, 'dropped'>;

/** The 'Import from URL' dialog. The server downloads the file, for as long as this page waits for it. */
export function UrlDialog({ bucketId, folder, open, rules, onClose, onChange }: Props) {
  const [form, setForm] = useState(EMPTY);
  const stop = useRef<AbortController>(null);
  const sending = useMutation({
    mutationFn: ({ url, access, isExact, replace }: typeof EMPTY) => {
      stop.current = new AbortController();
      return call('POST /files/import/:bucketID', {
        params: { bucketID: bucketId },
        body: {
          ...{ url: url.trim(), access, folder: folder.replace(/\/$/, '') },
          ...{ optimize: isExact ? 'no' : 'yes', on_conflict: replace ? 'replace' : 'rename' },
        },
        signal: stop.current.signal,
      });
    },
    onSuccess: ({ name, status }) => {
      notify.success(
        'File imported.',
        status === 'processing' ? `${name} is being processed.` : name,
      );
      onChange();
      close();
    },
  });
  const start = useSingleAction(sending.isPending);
  const problem = useFormError(sending);
  const change = (changed: Partial<typeof EMPTY>) => {
    problem.clear();
    setForm({ ...form, ...changed });
  };
  const close = () => {
    onClose();
    setForm(EMPTY);
    problem.clear();
  };
  const { isPending } = sending;

  return (
    <Dialog
      open={open}
      locked={isPending}
      title="Import from URL"
      text="The server downloads the file. Images and videos are optimised. Other files are stored as they are."
      onClose={close}
    >
      <form
        noValidate
        className="flex flex-col gap-5"
        onSubmit={(event) => {
          event.preventDefault();
          if (form.url.trim() === '') problem.report('Enter the URL of a file.');
          else if (start()) sending.mutate(form);
        }}
      >
        <TextField
          label="URL"
          type="url"
          inputMode="url"
          placeholder="https://example.com/harbour.jpg"
          autoComplete="off"
          maxLength={IMPORT_URL_MAX}
          value={form.url}
          disabled={isPending}
          help={rulesText(rules) ?? 'An http or https URL that anyone can open.'}
          error={problem.error}
          onValue={(url) => change({ url })}
        />
        <AccessField value={form.access} onValue={(access) => change({ access })} />
        <CheckboxField
          label="Keep the file as it is"
          help="Stores an image or a video byte for byte, with its metadata. Such a video has no player."
          checked={form.isExact}
          onChecked={(isExact) => change({ isExact })}
        />
        <ReplaceField checked={form.replace} onChecked={(replace) => change({ replace })} />
        {isPending && (
          <p role="status" className="text-xs text-pretty text-quiet">
            Downloading the file. Keep this page open until it is imported.
          </p>
        )}
        <DialogButtons>
          <Button
            className="btn-ghost"
            onClick={() => (isPending ? stop.current?.abort() : close())}
          >
            {isPending ? 'Stop' : 'Cancel'}
          </Button>
          <Button type="submit" className="btn-primary" pending={isPending}>
            Import
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
