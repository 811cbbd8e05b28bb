import Film from 'lucide-react/icons/film';
import Image from 'lucide-react/icons/image';
import Play from 'lucide-react/icons/play';
import { useEffect, useRef } from 'react';
import { thumbHashToRGBA } from 'thumbhash';
import type { FileWire } from '../../server/contract/wire.ts';
import { DRAW_DELAY_MS, useThumbnail } from './use-thumbnail.ts';

/** Returns 'no. 3, about 5 min', or 'no. 3' where the time is not known. */
function placeInLine({ queue_position, queue_seconds }: FileWire): string {
  const minutes = queue_seconds === null ? null : Math.max(1, queue_seconds / 60);
  const time = minutes && (minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`);
  return `no. ${queue_position}${time ? `, about ${time}` : ''}`;
}

/**
 * The status of a file: its place in the line while it waits, its progress while it is processed, and
 * the reason if that failed. `short` truncates the reason to one line.
 */
export function FileStatusCell({ file, short = false }: { file: FileWire; short?: boolean }) {
  if (file.status === 'success') return <span className="text-success">Success</span>;
  if (file.status === 'error') {
    return (
      <span
        className={`text-error ${short ? 'max-sm:flex max-sm:items-baseline max-sm:gap-2' : ''}`}
      >
        Error
        {file.error && (
          <span
            className={`block text-xs text-quiet ${short ? 'truncate' : ''}`}
            title={short ? file.error : undefined}
          >
            {file.error}
          </span>
        )}
      </span>
    );
  }
  if (file.queue_position) {
    return (
      <span className="numbers whitespace-nowrap">
        Queued <span className="text-quiet">{placeInLine(file)}</span>
      </span>
    );
  }
  return (
    <span className="inline-flex flex-col gap-1">
      <span className="numbers whitespace-nowrap">
        Processing <span className="text-quiet">{file.progress} %</span>
      </span>
      <progress
        className="progress progress-primary h-1 w-full"
        value={file.progress}
        max={100}
        aria-label={`Processing ${file.name}`}
      />
    </span>
  );
}

/**
 * A thumbnail. Until it is loaded, and where there is none, it is a blurred one that is drawn from a hash in
 * the list. A file without a hash shows an icon of its type.
 */
export function FileThumb({ bucketId, file }: { bucketId: string; file: FileWire }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { thumbhash, file_type } = file;
  const thumbnail = useThumbnail(bucketId, file);
  useEffect(() => {
    if (thumbhash === null || thumbnail) return;
    const timer = setTimeout(() => drawHash(canvas.current, thumbhash), DRAW_DELAY_MS);
    return () => clearTimeout(timer);
  }, [thumbhash, thumbnail]);
  useEffect(() => {
    if (thumbnail) void drawThumbnail(canvas.current, thumbnail);
  }, [thumbnail]);

  const Kind = file_type === 'video' ? Film : Image;
  return (
    <span
      aria-hidden
      className="relative grid size-8 shrink-0 place-items-center overflow-hidden rounded-sm bg-base-300 text-quiet max-sm:size-11"
    >
      {thumbhash === null ? (
        <Kind size={16} />
      ) : (
        <canvas ref={canvas} width={1} height={1} className="absolute size-full object-cover" />
      )}
      {thumbhash !== null && file_type === 'video' && (
        <Play size={12} className="relative fill-white text-white drop-shadow" />
      )}
    </span>
  );
}

/** Draws nothing if the browser can't decode the thumbnail. */
async function drawThumbnail(canvas: HTMLCanvasElement | null, thumbnail: Blob) {
  const bitmap = await createImageBitmap(thumbnail).catch(() => null);
  if (!canvas || !bitmap) return;
  Object.assign(canvas, { width: bitmap.width, height: bitmap.height });
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
  bitmap.close();
}

function drawHash(canvas: HTMLCanvasElement | null, thumbhash: string) {
  const context = canvas?.getContext('2d');
  if (!canvas || !context) return;
  const { w, h, rgba } = thumbHashToRGBA(
    Uint8Array.from(atob(thumbhash), (letter) => letter.charCodeAt(0)),
  );
  Object.assign(canvas, { width: w, height: h });
  context.putImageData(new ImageData(new Uint8ClampedArray(rgba), w, h), 0, 0);
}
