import { useRef, useState } from 'react';
import { MESSAGES } from '../../server/contract/messages.ts';
import type { Access, FileWire } from '../../server/contract/wire.ts';
import { notify } from '../notify.ts';
import { ResolutionField, type Source } from './resolution-field.tsx';
import { areSizes, sizesIn } from './resolution-text.ts';
import { sendVideo } from './send-video.ts';
import { UploadDialog } from './upload-dialog.tsx';
import { AccessField, CheckboxField, FileField, IMAGE_TYPES } from './upload-fields.tsx';
import { useUpload } from './use-upload.ts';
import { readVideoSize } from './video-size.ts';

const EMPTY = {
  file: null as File | null,
  thumbnail: null as File | null,
  access: 'public' as Access,
  resolution: '',
  timelinePreview: false,
};

/** 'Upload Video', the button and its dialog. */
export function VideoDialog({ bucketId, files }: { bucketId: string; files: FileWire[] }) {
  const [open, setOpen] = useState(false);
  const [form, setForm] = useState(EMPTY);
  const [source, setSource] = useState<Source>('none');
  const latest = useRef<File | null>(null);

  const choose = async (file: File | null) => {
    latest.current = file;
    setForm((form) => ({ ...form, file, resolution: '' }));
    setSource(file ? 'reading' : 'none');
    const size = file && (await readVideoSize(file));
    if (file && latest.current === file) setSource(size ?? 'unreadable');
  };
  const close = () => {
    setOpen(false);
    setForm(EMPTY);
    void choose(null);
  };
  const upload = useUpload({ bucketId, files, open, onEnd: close });

  const submit = () => {
    const { file } = form;
    if (!file) notify.error(MESSAGES.videoRequired);
    else if (areSizes(form.resolution)) {
      const resolution = sizesIn(form.resolution).join(',');
      void upload.start(file.size, (onSent) =>
        sendVideo(bucketId, { ...form, file, resolution }, onSent),
      );
    }
  };

  return (
    <UploadDialog
      title="Upload Video"
      text="It is encoded for streaming, in each resolution you choose."
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
        label="Video"
        help="MP4, MKV or any other video."
        accept="video/mp4,video/x-matroska,.mkv,video/*"
        onFile={choose}
      />
      <FileField
        label="Thumbnail (optional)"
        help="Shown before the video plays. JPEG, PNG, WebP, GIF or SVG."
        accept={IMAGE_TYPES}
        onFile={(thumbnail) => setForm({ ...form, thumbnail })}
      />
      <ResolutionField
        source={source}
        value={form.resolution}
        onValue={(resolution) => setForm({ ...form, resolution })}
      />
      <CheckboxField
        label="Timeline preview"
        help="Small pictures along the player’s bar."
        checked={form.timelinePreview}
        onChecked={(timelinePreview) => setForm({ ...form, timelinePreview })}
      />
      <AccessField value={form.access} onValue={(access) => setForm({ ...form, access })} />
    </UploadDialog>
  );
}
