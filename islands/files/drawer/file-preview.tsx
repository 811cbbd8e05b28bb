import { useState } from 'react';
import type { FileDetailWire } from '../../../server/contract/wire.ts';
import { withToken } from '../file-url.ts';

const frame = 'w-full rounded-md border border-base-300 bg-base-100';

/** The image, or the video in its player; nothing where nothing can be seen. */
export function FilePreview({ bucketId, file }: { bucketId: string; file: FileDetailWire }) {
  const { url, access, jwt, name } = file;
  if (url === null) return null;
  if (file.file_type === 'video') {
    return (
      <iframe
        // Its sizes grow when it is done.
        key={file.status}
        // Below our own origin, whichever name of it was typed.
        src={withToken(`/embed/${bucketId}/${file.id}`, access, jwt)}
        title={`Player of ${name}`}
        className={`aspect-video ${frame}`}
        allow="fullscreen; picture-in-picture"
        allowFullScreen
        onLoad={({ currentTarget }) => closeByEscape(currentTarget)}
      />
    );
  }
  return <Picture key={url} file={file} src={withToken(url, access, jwt)} />;
}

function Picture({ file, src }: { file: FileDetailWire; src: string }) {
  const [isMissing, setMissing] = useState(false);
  if (isMissing) {
    return (
      <p className="grid h-24 place-items-center rounded-md border border-dashed border-edge px-4 text-center text-quiet">
        The preview could not be loaded.
      </p>
    );
  }
  return (
    <img
      src={src}
      alt={`Preview of ${file.name}`}
      width={file.width ?? undefined}
      height={file.height ?? undefined}
      className={`h-auto max-h-80 object-contain ${frame}`}
      onError={() => setMissing(true)}
    />
  );
}

/** Keys that are pressed in the player stay in its page: this one means the drawer all the same. */
function closeByEscape(player: HTMLIFrameElement) {
  player.contentDocument?.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') player.closest('dialog')?.close();
  });
}
