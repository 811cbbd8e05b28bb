import { useState } from 'react';
import { IMAGE_MAX_BYTES } from '../../server/contract/limits.ts';
import { MESSAGES } from '../../server/contract/messages.ts';
import type { Access, FileWire } from '../../server/contract/wire.ts';
import { notify } from '../notify.ts';
import { sendImage } from './send-image.ts';
import { UploadDialog } from './upload-dialog.tsx';
import { AccessField, CheckboxField, FileField, IMAGE_TYPES } from './upload-fields.tsx';
import { useUpload } from './use-upload.ts';

const EMPTY = { file: null as File | null, access: 'public' as Access, webp: false };

/** 'Upload Image', the button and its dialog. */
export function ImageDialog({ bucketId, files }: { bucketId: string; files: FileWire[] }) {
  const [open, setOpen] = useState(false);
  const [form, setForm] = useState(EMPTY);
  const close = () => {
    setOpen(false);
    setForm(EMPTY);
  };
  const upload = useUpload({ bucketId, files, open, onEnd: close });
  const { file } = form;
  const tooLarge = file !== null && file.size > IMAGE_MAX_BYTES;

  const submit = () => {
    if (!file) notify.error(MESSAGES.noFile);
    else if (!tooLarge) {
      void upload.start(file.size, (onSent) => sendImage(bucketId, { ...form, file }, onSent));
    }
  };

  return (
    <UploadDialog
      title="Upload Image"
      text="It is checked, optimised, and then served from its own URL."
      open={open}
      state={upload.state}
      onOpen={() => setOpen(true)}
      onClose={close}
      onLeave={() => {
        upload.leave();
        close();
      }}
      onSubmit={submit}
    >
      <FileField
        label="Image"
        help="JPEG, PNG, WebP, GIF or SVG. Max 50 MiB."
        error={tooLarge ? 'This image is larger than 50 MiB.' : null}
        accept={IMAGE_TYPES}
        onFile={(file) => setForm({ ...form, file })}
      />
      <AccessField value={form.access} onValue={(access) => setForm({ ...form, access })} />
      <CheckboxField
        label="Convert to WebP"
        help="Fewer bytes at the same quality; the original is kept, private."
        checked={form.webp}
        onChecked={(webp) => setForm({ ...form, webp })}
      />
    </UploadDialog>
  );
}
