import { Button } from '../../ui/form/button.tsx';
import { percentArrived } from '../resume/resume-entries.ts';
import { SelectedFile } from './file-selection.tsx';
import type { Video } from './use-videos.ts';

/** A chosen video; where its upload was interrupted, the question whether to go on with it. */
export function VideoLine({
  video,
  sizes,
  onRemove,
  onGoOn,
  onStartAgain,
}: {
  video: Video;
  /** What it is made in, where that is not what the field says. */
  sizes: string | null;
  onRemove: () => void;
  onGoOn: () => void;
  onStartAgain: () => void;
}) {
  const { file, size, interrupted, goesOn } = video;
  const percent = interrupted ? percentArrived(interrupted.entry) : 0;
  const known = size ? `${size.width}x${size.height}` : 'Reading the video.';
  const note = goesOn ? `Resumes at ${percent} % with its original settings.` : known;
  return (
    <SelectedFile
      file={file}
      kind="video"
      note={!goesOn && sizes ? `${note} · ${sizes}` : note}
      onRemove={onRemove}
    >
      {interrupted && !goesOn && (
        <fieldset aria-label={`Interrupted upload of ${file.name}`} className="mt-2">
          <p role="status">An upload of this file was interrupted at {percent} %. Resume it?</p>
          <div className="mt-2 flex gap-2">
            <Button className="btn-primary btn-sm" onClick={onGoOn}>
              Resume
            </Button>
            <Button className="btn-sm" onClick={onStartAgain}>
              Start over
            </Button>
          </div>
        </fieldset>
      )}
    </SelectedFile>
  );
}
