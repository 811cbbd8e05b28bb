import Play from 'lucide-react/icons/play';
import { useState } from 'react';
import { formatBytes } from '../../../server/contract/units.ts';
import type { FileDetailWire } from '../../../server/contract/wire.ts';
import { withToken } from '../../file-urls/shared.ts';
import { Button } from '../../ui/form/button.tsx';
import { FilePicture } from '../file-picture.tsx';
import { usePreview } from '../use-preview.ts';
import { frame, NoPreview } from './frame.tsx';
import { isPdfFile } from './pdf-file.ts';
import { PdfPreview } from './pdf-preview.tsx';
import { isTextFile } from './text-file.ts';
import { TextPreview } from './text-preview.tsx';

/**
 * Shows a file in its details. The image is made for the dashboard and costs no bandwidth. The file itself, of
 * which every load counts, is loaded when the user asks for it: to play a video or an animation, or where there
 * is no image.
 */
export function FilePreview({ bucketId, file }: { bucketId: string; file: FileDetailWire }) {
  const [isOpen, setOpen] = useState(false);
  const image = usePreview(bucketId, file, 'preview');
  const { url, name, thumbhash, file_type, content_type } = file;
  if (url === null) {
    return (
      <NoPreview>
        {file.status === 'processing'
          ? 'The preview appears here when the file is ready.'
          : 'This file has no preview.'}
      </NoPreview>
    );
  }
  if (isTextFile(file)) return <TextPreview file={file} url={url} />;
  if (isPdfFile(file)) return <PdfPreview file={file} url={url} />;
  if (file_type === 'file' && !content_type.startsWith('image/')) {
    return <NoPreview>This file has no preview.</NoPreview>;
  }
  if (isOpen) return <OpenFile bucketId={bucketId} file={file} url={url} />;
  const isLoading = file.status === 'success' && image === undefined;
  return (
    <div className={`relative grid place-items-center overflow-hidden ${frame}`}>
      <FilePicture
        thumbhash={thumbhash}
        image={image}
        role="img"
        aria-label={`Preview of ${name}`}
        aria-busy={isLoading}
        className="absolute size-full object-contain"
      />
      {isLoading || (
        <LoadButton file={file} url={url} hasImage={!!image} onClick={() => setOpen(true)} />
      )}
    </div>
  );
}

/** The button that loads the file itself; nothing for a still image that is shown. */
function LoadButton({
  file,
  url,
  hasImage,
  onClick,
}: {
  file: FileDetailWire;
  url: string;
  hasImage: boolean;
  onClick: () => void;
}) {
  const { name, file_type, duration, renditions } = file;
  if (['video', 'audio'].includes(file_type) || (hasImage && duration !== null)) {
    return (
      <button
        type="button"
        className="btn btn-circle btn-primary btn-lg relative"
        aria-label={`Play ${name}`}
        title="Counts as bandwidth"
        onClick={onClick}
      >
        <Play size={24} aria-hidden className="ml-0.5 fill-current" />
      </button>
    );
  }
  if (hasImage) return null;
  const bytes = renditions?.find((one) => one.url === url)?.bytes ?? file.size;
  return (
    <div className="relative flex flex-col items-center gap-2">
      <Button onClick={onClick}>Load the image</Button>
      <p className="numbers rounded bg-base-100 px-2 text-xs text-quiet">
        {formatBytes(bytes)}, counts as bandwidth
      </p>
    </div>
  );
}

/** The file itself, loaded from its delivery URL: an image, a recording, or a video in its player. */
function OpenFile({
  bucketId,
  file,
  url,
}: {
  bucketId: string;
  file: FileDetailWire;
  url: string;
}) {
  const [isMissing, setMissing] = useState(false);
  const { access, jwt, name } = file;
  if (isMissing) return <NoPreview>The file could not be loaded.</NoPreview>;
  if (file.file_type === 'audio') {
    return (
      <div className={`grid place-items-center px-4 ${frame}`}>
        {/* biome-ignore lint/a11y/useMediaCaption: nobody knows what it says */}
        <audio
          ref={focus}
          controls
          autoPlay
          src={withToken(url, access, jwt)}
          className="w-full"
          onError={() => setMissing(true)}
        />
      </div>
    );
  }
  if (file.file_type !== 'video') {
    return (
      <img
        ref={focus}
        tabIndex={-1}
        src={withToken(url, access, jwt)}
        alt={name}
        width={file.width ?? undefined}
        height={file.height ?? undefined}
        className={`object-contain outline-none ${frame}`}
        onError={() => setMissing(true)}
      />
    );
  }
  return (
    <iframe
      ref={focus}
      // A new key reloads the player when all resolutions are ready.
      key={file.status}
      // A relative URL has the page's origin, whatever host name the user has typed.
      src={withToken(`/embed/${bucketId}/${file.id}?autoplay=1`, access, jwt)}
      title={`Player of ${name}`}
      className={frame}
      allow="autoplay; picture-in-picture"
      allowFullScreen
      onLoad={({ currentTarget }) => closeByEscape(currentTarget)}
    />
  );
}

/** Takes the focus that was on the button, which is gone. */
function focus(element: HTMLElement | null) {
  if (document.activeElement === document.body) element?.focus();
}

/** Makes Escape close the drawer while the player has the focus, whose frame gets the key. */
function closeByEscape(player: HTMLIFrameElement) {
  player.contentDocument?.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') player.closest('dialog')?.requestClose();
  });
}
