import File from 'lucide-react/icons/file';
import Film from 'lucide-react/icons/film';
import Image from 'lucide-react/icons/image';
import Music from 'lucide-react/icons/music';
import Play from 'lucide-react/icons/play';
import { type CanvasHTMLAttributes, useEffect, useRef } from 'react';
import { thumbHashToRGBA } from 'thumbhash';
import type { FilePreview } from '../../server/contract/home/summary.ts';
import type { FileType } from '../../server/contract/wire.ts';
import { DRAW_DELAY_MS, usePreview } from './use-preview.ts';

const ICONS: Record<FileType, typeof Image> = {
  image: Image,
  video: Film,
  audio: Music,
  file: File,
};

/** The thumbnail of a row. A file without a hash shows an icon of its type. */
export function FileThumb({
  bucketId,
  file,
  isLarge = false,
}: {
  bucketId: string;
  file: FilePreview;
  /** As wide as the card that it is in. */
  isLarge?: boolean;
}) {
  const { thumbhash, file_type } = file;
  const thumbnail = usePreview(bucketId, file, isLarge ? 'card' : 'thumbnail');
  const Kind = ICONS[file_type];
  return (
    <span
      aria-hidden
      className={`relative grid shrink-0 place-items-center overflow-hidden bg-base-300 text-quiet ${isLarge ? 'size-full' : 'size-8 rounded-sm max-md:size-11'}`}
    >
      {thumbhash === null ? (
        <Kind size={isLarge ? 32 : 16} />
      ) : (
        <FilePicture
          thumbhash={thumbhash}
          image={thumbnail}
          className="absolute size-full object-cover"
        />
      )}
      {thumbhash !== null && file_type === 'video' && (
        <Play size={isLarge ? 24 : 12} className="relative fill-white text-white drop-shadow" />
      )}
    </span>
  );
}

/** An image of a file. Until it is loaded, and where there is none, it is a blurred one, drawn from a hash. */
export function FilePicture({
  thumbhash,
  image,
  ...rest
}: CanvasHTMLAttributes<HTMLCanvasElement> & {
  thumbhash: string | null;
  image: Blob | null | undefined;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (thumbhash === null || image) return;
    const timer = setTimeout(() => drawHash(canvas.current, thumbhash), DRAW_DELAY_MS);
    return () => clearTimeout(timer);
  }, [thumbhash, image]);
  useEffect(() => {
    if (image) void drawImage(canvas.current, image);
  }, [image]);
  return <canvas ref={canvas} width={1} height={1} {...rest} />;
}

/** Draws nothing if the browser can't decode the image. */
async function drawImage(canvas: HTMLCanvasElement | null, image: Blob) {
  const bitmap = await createImageBitmap(image).catch(() => null);
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
