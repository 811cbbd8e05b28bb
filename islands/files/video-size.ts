import type { Size } from '../../server/contract/media.ts';

/** The size a video is shown at, read by the browser. Null when it can't play the format. */
export function readVideoSize(file: File): Promise<Size | null> {
  return new Promise((resolve) => {
    const video = document.createElement('video');
    const url = URL.createObjectURL(file);
    const finish = (size: Size | null) => {
      URL.revokeObjectURL(url);
      resolve(size);
    };
    video.preload = 'metadata';
    video.onloadedmetadata = () => {
      const { videoWidth: width, videoHeight: height } = video;
      // Sound without a picture has no size.
      finish(width > 0 && height > 0 ? { width, height } : null);
    };
    video.onerror = () => finish(null);
    video.src = url;
  });
}
