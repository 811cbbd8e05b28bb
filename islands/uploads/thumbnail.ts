import { useEffect, useState } from 'react';
import { IMAGE_MAX_PIXELS, SECOND } from '../../server/contract/limits.ts';

/** The edge of a thumbnail in pixels. It is shown at half of that, for dense screens. */
const THUMBNAIL_SIZE = 80;
const LOAD_TIMEOUT_MS = 5 * SECOND;

const thumbnails = new WeakMap<File, Promise<string | null>>();
/** Thumbnails are drawn one at a time, because a decoded photo takes up to fifty megabytes. */
let queue: Promise<unknown> = Promise.resolve();

/** Returns a thumbnail of an image or a video as a data URL, or null while there is none, and for no file. */
export function useThumbnail(file: File | null): string | null {
  const [thumbnail, setThumbnail] = useState<string | null>(null);
  useEffect(() => {
    if (!file) return;
    let isUnmounted = false;
    void thumbnailOf(file).then((url) => {
      if (!isUnmounted) setThumbnail(url);
    });
    return () => {
      isUnmounted = true;
    };
  }, [file]);
  return thumbnail;
}

function thumbnailOf(file: File): Promise<string | null> {
  const cached = thumbnails.get(file);
  if (cached) return cached;
  const draw = () => withUrl(file, isVideo(file) ? drawVideo : drawImage).catch(() => null);
  const thumbnail = queue.then(draw);
  queue = thumbnail;
  thumbnails.set(file, thumbnail);
  return thumbnail;
}

const isVideo = (file: File) => !file.type.startsWith('image/');

async function withUrl<Result>(file: File, use: (url: string) => Promise<Result>): Promise<Result> {
  const url = URL.createObjectURL(file);
  try {
    return await use(url);
  } finally {
    URL.revokeObjectURL(url);
  }
}

async function drawImage(url: string): Promise<string> {
  const image = new Image();
  const { promise: loaded, resolve, reject } = Promise.withResolvers<unknown>();
  image.onload = resolve;
  image.onerror = reject;
  image.src = url;
  await loaded;
  // Decoding an image that the server will refuse as too large would block the page for seconds.
  if (image.naturalWidth * image.naturalHeight > IMAGE_MAX_PIXELS) throw new Error('too large');
  await image.decode();
  return squareOf(image, image.naturalWidth, image.naturalHeight);
}

/** Draws a frame of the first second. Fails if the browser can't play the video. */
async function drawVideo(url: string): Promise<string> {
  const video = document.createElement('video');
  video.muted = true;
  video.preload = 'auto';
  try {
    const seeked = nextEvent(video, 'seeked');
    video.onloadedmetadata = () => {
      video.currentTime = Math.min(1, video.duration / 2 || 0);
    };
    video.src = url;
    await seeked;
    return squareOf(video, video.videoWidth, video.videoHeight);
  } finally {
    // Releases the file and the decoder.
    video.removeAttribute('src');
    video.load();
  }
}

function nextEvent(video: HTMLVideoElement, name: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    video.addEventListener(name, resolve, { once: true });
    video.addEventListener('error', reject, { once: true });
    setTimeout(reject, LOAD_TIMEOUT_MS, new Error('Your browser can’t play this file.'));
  });
}

/** Returns the middle square of a picture as a JPEG data URL. */
function squareOf(picture: CanvasImageSource, width: number, height: number): string {
  const side = Math.min(width, height);
  const canvas = document.createElement('canvas');
  canvas.width = THUMBNAIL_SIZE;
  canvas.height = THUMBNAIL_SIZE;
  const left = (width - side) / 2;
  const top = (height - side) / 2;
  const pen = canvas.getContext('2d');
  // JPEG has no transparency, so transparent images get a white background.
  if (pen) pen.fillStyle = '#fff';
  pen?.fillRect(0, 0, THUMBNAIL_SIZE, THUMBNAIL_SIZE);
  pen?.drawImage(picture, left, top, side, side, 0, 0, THUMBNAIL_SIZE, THUMBNAIL_SIZE);
  return canvas.toDataURL('image/jpeg', 0.7);
}
