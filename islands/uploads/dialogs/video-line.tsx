import { Button } from '../../ui/form/button.tsx';
import { percentReceived } from '../resume/resume-entries.ts';
import { SelectedFile } from './file-selection.tsx';
import type { Video } from './use-videos.ts';

/** A selected video. If its upload was interrupted before, the line asks whether to resume it. */
export function VideoLine({
  video,
  sizes,
  onRemove,
  onResume,
  onRestart,
}: {
  video: Video;
  /** The resolutions of this video if they differ from those in the field. */
  sizes: string | null;
  onRemove: () => void;
  onResume: () => void;
  onRestart: () => void;
}) {
  const { file, size, interrupted, isResumed } = video;
  const percent = interrupted ? percentReceived(interrupted.entry) : 0;
  const sizeText = size ? `${size.width}x${size.height}` : 'Reading the video.';
  const note = isResumed ? `Resumes at ${percent} % with its original settings.` : sizeText;
  return (
    <SelectedFile
      file={file}
      kind="video"
      note={!isResumed && sizes ? `${note} · ${sizes}` : note}
      onRemove={onRemove}
    >
      {interrupted && !isResumed && (
        <fieldset aria-label={`Interrupted upload of ${file.name}`} className="mt-2">
          <p role="status">An upload of this file was interrupted at {percent} %. Resume it?</p>
          <div className="mt-2 flex gap-2">
            <Button className="btn-primary btn-sm" onClick={onResume}>
              Resume
            </Button>
            <Button className="btn-sm" onClick={onRestart}>
              Start over
            </Button>
          </div>
        </fieldset>
      )}
    </SelectedFile>
  );
}
