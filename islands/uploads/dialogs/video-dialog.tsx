import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { MESSAGES } from '../../../server/contract/messages.ts';
import { SHORTCUTS } from '../../../server/contract/shortcuts.ts';
import type { Access } from '../../../server/contract/wire.ts';
import { notify } from '../../runtime/notify.ts';
import { useUploadEvents } from '../queue/processing-status.ts';
import { useBatch } from '../queue/upload-manager.ts';
import { DiscardDialog, InterruptedList } from '../resume/interrupted-list.tsx';
import { freshVideo, resumedVideo } from '../resume/resumable-uploads.ts';
import { IMAGE_TYPES, keyOf, VIDEO_TYPES } from './file-kinds.ts';
import { FilePicker, SelectionSummary } from './file-selection.tsx';
import { areSizes, ResolutionField, sizesFor, sizesIn } from './resolution-field.tsx';
import { type DialogProps, UploadDialog } from './upload-dialog.tsx';
import { AccessField, CheckboxField, FileField } from './upload-fields.tsx';
import { useVideos, type Video } from './use-videos.ts';
import { VideoLine } from './video-line.tsx';

const EMPTY = {
  thumbnail: null as File | null,
  access: 'public' as Access,
  resolution: '',
  timelinePreview: false,
};

/** 'Upload Video', the button and its dialog. */
export function VideoDialog(props: DialogProps) {
  const { bucketId, open } = props;
  const form = useVideoForm(props);
  const { fields, videos, first, change } = form;
  const picker = useRef<HTMLInputElement>(null);
  useUploadEvents(bucketId, open);

  return (
    <UploadDialog
      title="Upload Video"
      shortcut={SHORTCUTS.uploadVideo.keys}
      text="Videos are transcoded to HLS in the resolutions you select."
      open={open}
      batch={form.batch}
      isWaiting={form.isWanted}
      onOpen={() => props.onOpen(true)}
      onClose={form.close}
      onSubmit={form.submit}
    >
      <InterruptedList
        bucketId={bucketId}
        after={picker}
        chosen={new Set(videos.map(({ interrupted }) => interrupted?.entry.clientId ?? ''))}
      />
      <FilePicker
        ref={picker}
        label="Video"
        help="MP4, MKV or any other video."
        accept={VIDEO_TYPES}
        onFiles={form.chosen.add}
      />
      <SelectionSummary files={videos.map(({ file }) => file)} />
      <ChosenVideos form={form} picker={picker} />
      <FileField
        label="Thumbnail (optional)"
        help={
          videos.length > 1
            ? 'Shown before each of these videos plays. JPEG, PNG, WebP, GIF or SVG.'
            : 'Shown before the video plays. JPEG, PNG, WebP, GIF or SVG.'
        }
        accept={IMAGE_TYPES}
        onFile={(thumbnail) => change({ thumbnail })}
      />
      <ResolutionField
        source={first ? (first.size ?? 'reading') : 'none'}
        value={fields.resolution}
        onValue={(resolution) => change({ resolution })}
      />
      <CheckboxField
        label="Timeline preview"
        help="Show thumbnails when hovering over the seek bar."
        checked={fields.timelinePreview}
        onChecked={(timelinePreview) => change({ timelinePreview })}
      />
      <AccessField value={fields.access} onValue={(access) => change({ access })} />
    </UploadDialog>
  );
}

/** The videos that are chosen and how they are to be made, until they are sent. */
function useVideoForm({ bucketId, dropped, onOpen, onChange }: DialogProps) {
  const [fields, setFields] = useState(EMPTY);
  /** 'Upload' was pressed while some videos are still being read. */
  const [isWanted, setWanted] = useState(false);
  const { videos, ...chosen } = useVideos(bucketId);
  const change = (part: Partial<typeof EMPTY>) => setFields((fields) => ({ ...fields, ...part }));
  const close = () => {
    onOpen(false);
    setFields(EMPTY);
    setWanted(false);
    chosen.clear();
  };
  const batch = useBatch(bucketId, onChange, close);
  const take = useEffectEvent((files: File[]) => {
    if (!batch.isBusy) chosen.add(files);
  });
  useEffect(() => take(dropped), [dropped]);

  const fresh = videos.filter(({ goesOn }) => !goesOn);
  const [first] = fresh;
  // Suggestions are about the first one: with another, they are others.
  const firstFile = first?.file;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another first file resets them
  useEffect(() => change({ resolution: '' }), [firstFile]);

  const sizes = sizesIn(fields.resolution);
  /** As written for the first video, which they are suggested for; of the others what suits them. */
  const sizesOf = (video: Video) =>
    video === first || !video.size ? sizes : sizesFor(sizes, video.size);
  const isReading = sizes.length > 0 && fresh.some(({ size }) => size === null);
  const isUndecided = videos.some(({ interrupted, goesOn }) => interrupted && !goesOn);

  const send = (all: Video[]) => {
    const uploads = all.map((video) => {
      const { file, interrupted, goesOn } = video;
      if (interrupted && goesOn) return resumedVideo(bucketId, file, interrupted);
      return freshVideo(bucketId, { ...fields, file, resolution: sizesOf(video).join(',') });
    });
    setWanted(false);
    chosen.clear();
    batch.start(uploads);
  };
  const submit = () => {
    if (videos.length === 0) notify.error(MESSAGES.videoRequired);
    else if (isUndecided) notify.error('Choose whether to resume or start over first.');
    else if (!areSizes(fields.resolution)) return;
    else if (isReading) setWanted(true);
    else send(videos);
  };
  const sendWanted = useEffectEvent(submit);
  useEffect(() => {
    if (isWanted && !isReading) sendWanted();
  }, [isWanted, isReading]);

  return { fields, change, videos, chosen, first, sizesOf, batch, isWanted, send, submit, close };
}

/** A line for each video; of one that was interrupted it asks whether to go on. */
function ChosenVideos({
  form,
  picker,
}: {
  form: ReturnType<typeof useVideoForm>;
  picker: RefObject<HTMLInputElement | null>;
}) {
  const { videos, chosen, first, sizesOf, send } = form;
  /** Whose 'Start over' was pressed, until that is answered. */
  const [videoToRestart, setVideoToRestart] = useState<Video | null>(null);
  const hasSizes = sizesIn(form.fields.resolution).length > 0;

  const goOn = (video: Video) => {
    const others = videos.filter((one) => one !== video && !one.goesOn);
    // With nothing else to choose there is nothing to wait for.
    if (others.length > 0) chosen.goOn(video.file);
    else send(videos.map((one) => (one === video ? { ...one, goesOn: true } : one)));
  };

  return (
    <>
      {videos.length > 0 && (
        <ul aria-label="Chosen files" className="max-h-64 overflow-y-auto">
          {videos.map((video) => (
            <VideoLine
              key={keyOf(video.file)}
              video={video}
              sizes={
                hasSizes && video !== first && video.size
                  ? sizesOf(video).join(', ') || 'its own size'
                  : null
              }
              onRemove={() => chosen.remove(video.file)}
              onGoOn={() => goOn(video)}
              onStartAgain={() => setVideoToRestart(video)}
            />
          ))}
        </ul>
      )}
      <DiscardDialog
        entry={videoToRestart?.interrupted?.entry ?? null}
        isAnew
        after={picker}
        onConfirm={() => {
          if (videoToRestart) chosen.startAgain(videoToRestart);
          setVideoToRestart(null);
        }}
        onClose={() => setVideoToRestart(null)}
      />
    </>
  );
}
