import { type RefObject, useState } from 'react';
import { Button } from '../../ui/form/button.tsx';
import { keyOf } from '../file-kinds.ts';
import { DiscardDialog } from '../resume/discard-dialog.tsx';
import { percentReceived } from '../resume/resume-entries.ts';
import { SelectedFile } from './file-selection.tsx';
import { ResolutionField, ResolutionShapes } from './resolution-field.tsx';
import type { Video } from './use-videos.ts';

/** The selected videos. Each whose upload was interrupted before asks whether to resume it. */
export function SelectedVideos({
  videos,
  isExact,
  onResolution,
  onRemove,
  onResume,
  onRestart,
  after,
}: {
  videos: Video[];
  /** Whether they are stored as they are, so that no resolution is chosen. */
  isExact: boolean;
  onResolution: (video: Video, resolution: string) => void;
  onRemove: (video: Video) => void;
  onResume: (video: Video) => void;
  onRestart: (video: Video) => void;
  /** Gets the focus after an interrupted upload has been discarded. */
  after: RefObject<HTMLElement | null>;
}) {
  /** The video whose 'Start over' waits for confirmation. */
  const [videoToRestart, setVideoToRestart] = useState<Video | null>(null);
  return (
    <>
      {videos.length > 0 && (
        <ul aria-label="Chosen files" className="max-h-80 overflow-y-auto">
          {videos.map((video) => (
            <VideoLine
              key={keyOf(video.file)}
              video={video}
              isExact={isExact}
              onResolution={(resolution) => onResolution(video, resolution)}
              onRemove={() => onRemove(video)}
              onResume={() => onResume(video)}
              onRestart={() => setVideoToRestart(video)}
            />
          ))}
        </ul>
      )}
      <DiscardDialog
        entry={videoToRestart?.interrupted?.entry ?? null}
        isRestart
        after={after}
        onConfirm={() => {
          if (videoToRestart) onRestart(videoToRestart);
          setVideoToRestart(null);
        }}
        onClose={() => setVideoToRestart(null)}
      />
    </>
  );
}

function VideoLine({
  video,
  isExact,
  onResolution,
  onRemove,
  onResume,
  onRestart,
}: {
  video: Video;
  isExact: boolean;
  onResolution: (resolution: string) => void;
  onRemove: () => void;
  onResume: () => void;
  onRestart: () => void;
}) {
  const { file, size, interrupted, isResumed } = video;
  const percent = interrupted ? percentReceived(interrupted.entry) : 0;
  const sizeText = size ? `${size.width}x${size.height}` : 'Reading the video.';
  const note = isResumed ? `Resumes at ${percent}% with its original settings.` : sizeText;
  return (
    <SelectedFile file={file} kind="video" note={note} onRemove={onRemove}>
      {!isResumed && (!isExact || interrupted) && (
        // Both of what the server tells later has room from the beginning, as the user may be about to press a
        // button below.
        <div className="mt-2 min-h-15.5 max-sm:min-h-22">
          {interrupted ? (
            <fieldset aria-label={`Interrupted upload of ${file.name}`}>
              <p role="status">An upload of this file was interrupted at {percent}%. Resume it?</p>
              <div className="mt-2 flex gap-2">
                <Button className="btn-primary btn-sm" onClick={onResume}>
                  Resume
                </Button>
                <Button className="btn-sm" onClick={onRestart}>
                  Start over
                </Button>
              </div>
            </fieldset>
          ) : size ? (
            <ResolutionField
              name={file.name}
              source={size}
              value={video.resolution}
              onValue={onResolution}
            />
          ) : (
            <ResolutionShapes />
          )}
        </div>
      )}
    </SelectedFile>
  );
}
