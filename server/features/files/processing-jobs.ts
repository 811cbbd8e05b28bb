import type { ImageJob, Size, VideoJob } from '../../contract/media.ts';

/** What the queue keeps of every job that processes a file. */
export type ProcessingPayload = {
  bucketId: string;
  userId: string;
  /** Where the uploaded bytes are. */
  sourcePrefix: string;
  /** Whether the uploaded bytes stay in the storage once the file is published. */
  keepSource: boolean;
};

/** What the queue keeps of a job that processes an image. */
export type ImagePayload = ProcessingPayload & { source: string; baseName: string; webp: boolean };

/** What the queue keeps of a job that processes a video. */
export type VideoPayload = ProcessingPayload & {
  sources: string[];
  resolutions: Size[];
  thumbnail: string | null;
  timelinePreview: boolean;
};

/** A job of the queue that processes a file. */
export type ProcessingJob =
  | { kind: 'image'; payload: ImagePayload }
  | { kind: 'video'; payload: VideoPayload };

/** The media process's job for an image, whose results go below `prefix`. */
export function imageJob({ source, baseName, webp }: ImagePayload, prefix: string): ImageJob {
  return { kind: 'image', source, prefix, baseName, webp };
}

/** The media process's job for a video, whose results go below `prefix`. */
export function videoJob(payload: VideoPayload, prefix: string): VideoJob {
  const { sources, resolutions, thumbnail, timelinePreview } = payload;
  return {
    kind: 'video',
    sources,
    prefix,
    resolutions,
    timelinePreview,
    ...(thumbnail && { thumbnail }),
  };
}
