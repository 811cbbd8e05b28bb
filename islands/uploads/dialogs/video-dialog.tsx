import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { MESSAGES } from '../../../server/contract/messages.ts';
import type { Access } from '../../../server/contract/wire.ts';
import { useFormError } from '../../ui/form/form-error.ts';
import {
  emptyText,
  isEmpty,
  sameName,
  sameNameText,
  THUMBNAIL_TYPES,
  VIDEO_TYPES,
} from '../file-kinds.ts';
import { startUploads } from '../queue/upload-manager.ts';
import { freshVideo, resumedVideo } from '../resume/resumable-uploads.ts';
import { FilePicker, SelectionSummary } from './file-selection.tsx';
import { DisabledResolutionField, isSizeList, parseSizes } from './resolution-field.tsx';
import { SelectedVideos } from './selected-videos.tsx';
import { type DialogProps, UploadDialog } from './upload-dialog.tsx';
import { AccessField, CheckboxField, FileField, ReplaceField } from './upload-fields.tsx';
import { rulesText, tooLargeText } from './upload-rules.ts';
import { useVideos, type Video } from './use-videos.ts';

const EMPTY = {
  thumbnail: null as File | null,
  access: 'public' as Access,
  timelinePreview: false,
  isExact: false,
  replace: false,
};

/** The 'Upload Video' dialog. */
export function VideoDialog(props: DialogProps) {
  const form = useVideoForm(props);
  const { fields, videos, change } = form;
  const picker = useRef<HTMLInputElement>(null);

  return (
    <UploadDialog
      title="Upload Video"
      text="Videos are transcoded to HLS in the resolutions you select."
      open={props.open}
      isWaiting={form.isUploadPending}
      isSecondary={form.isUndecided}
      onClose={form.close}
      onSubmit={form.submit}
    >
      <FilePicker
        ref={picker}
        label="Video"
        help={['MP4, MKV or any other video.', rulesText(props.rules)].filter(Boolean).join(' ')}
        error={form.error}
        accept={VIDEO_TYPES}
        onFiles={form.add}
      />
      <SelectionSummary files={videos.map(({ file }) => file)} />
      <SelectedVideos
        videos={videos}
        isExact={fields.isExact}
        onResolution={({ file }, resolution) => form.selection.choose(file, resolution)}
        onRemove={({ file }) => form.selection.remove(file)}
        onResume={form.resume}
        onRestart={form.restart}
        after={picker}
      />
      {!fields.isExact && (
        <OptionFields videos={videos} timelinePreview={fields.timelinePreview} change={change} />
      )}
      <CheckboxField
        label="Keep the file as it is"
        help="Stores the video byte for byte as a file, without a player."
        checked={fields.isExact}
        onChecked={(isExact) => change({ isExact, thumbnail: null })}
      />
      <AccessField value={fields.access} onValue={(access) => change({ access })} />
      <ReplaceField checked={fields.replace} onChecked={(replace) => change({ replace })} />
    </UploadDialog>
  );
}

/** What a video that is transcoded is shown with. */
function OptionFields({
  videos,
  timelinePreview,
  change,
}: {
  videos: Video[];
  timelinePreview: boolean;
  change: (part: Partial<typeof EMPTY>) => void;
}) {
  return (
    <>
      <FileField
        label="Thumbnail (optional)"
        help={
          videos.length > 1
            ? 'Shown before each of these videos plays. JPEG, PNG, WebP or GIF.'
            : 'Shown before the video plays. JPEG, PNG, WebP or GIF.'
        }
        accept={THUMBNAIL_TYPES}
        onFile={(thumbnail) => change({ thumbnail })}
      />
      {videos.length === 0 && <DisabledResolutionField />}
      <CheckboxField
        label="Timeline preview"
        help="Show thumbnails when hovering over the seek bar."
        checked={timelinePreview}
        onChecked={(timelinePreview) => change({ timelinePreview })}
      />
    </>
  );
}

/** The state of the form: the selected videos, their options, and what 'Upload' does with them. */
function useVideoForm({ bucketId, folder, dropped, rules, onClose, onChange }: DialogProps) {
  const [fields, setFields] = useState(EMPTY);
  /** 'Upload' was pressed before it was known whether an upload of a video was interrupted. */
  const [isUploadPending, setUploadPending] = useState(false);
  const { error, report, clear } = useFormError();
  const { videos, ...selection } = useVideos(bucketId, report);
  const change = (part: Partial<typeof EMPTY>) => setFields((fields) => ({ ...fields, ...part }));
  const close = () => {
    onClose();
    setFields(EMPTY);
    setUploadPending(false);
    selection.clear();
    clear();
  };
  const add = (files: File[]) => {
    clear();
    const empty = files.find(isEmpty);
    if (empty) report(emptyText(empty));
    selection.add(files.filter((file) => !isEmpty(file)));
  };
  const take = useEffectEvent(add);
  useEffect(() => take(dropped), [dropped]);

  const { isExact } = fields;
  const fresh = videos.filter(({ isResumed }) => !isResumed);
  const isChecking = videos.some(({ isChecked }) => !isChecked);
  const isUndecided = videos.some(({ interrupted, isResumed }) => interrupted && !isResumed);

  const send = (all: Video[]) => {
    const uploads = all.map((video) => {
      const { file, size, interrupted, isResumed } = video;
      if (interrupted && isResumed) return resumedVideo(bucketId, file, interrupted);
      const suggest = selection.suggestionOf(file);
      return freshVideo(bucketId, {
        ...fields,
        file,
        folder,
        resolution:
          size || isExact
            ? parseSizes(video.resolution).join(',')
            : // The sizes that are chosen beforehand are not known yet.
              async (signal) => parseSizes(await suggest(signal)).join(','),
      });
    });
    startUploads(bucketId, uploads, onChange);
    selection.release();
    close();
  };
  const resume = (video: Video) => {
    clear();
    const others = videos.filter((one) => one !== video && !one.isResumed);
    // If no other video needs options, there is nothing left to decide and the upload starts.
    if (others.length > 0) selection.resume(video.file);
    else send(videos.map((one) => (one === video ? { ...one, isResumed: true } : one)));
  };
  const restart = (video: Video) => {
    clear();
    selection.restart(video);
  };
  const submit = () => {
    const files = fresh.map(({ file }) => file);
    const same = fields.replace ? sameName(files) : null;
    const tooLarge = tooLargeText(files, rules);
    if (videos.length === 0) report(MESSAGES.videoRequired);
    else if (isChecking) setUploadPending(true);
    else if (same) report(sameNameText(same));
    else if (tooLarge) report(tooLarge);
    else if (isUndecided) report('Choose whether to resume or start over first.');
    else if (!isExact && !fresh.every(({ resolution }) => isSizeList(resolution))) return;
    else send(videos);
  };
  const sendPending = useEffectEvent(submit);
  useEffect(() => {
    if (!isUploadPending || isChecking) return;
    setUploadPending(false);
    sendPending();
  }, [isUploadPending, isChecking]);

  return {
    fields,
    change,
    error,
    add,
    restart,
    videos,
    selection,
    isUploadPending,
    isUndecided,
    resume,
    submit,
    close,
  };
}
