import type { ImageJob, Size, VideoJob } from '../../contract/media.ts';
import { type CompleteUpload, type PlainBytes, slugOf } from '../files/service.ts';

/** The payload of every job that processes a file. */
export type ProcessingPayload = {
  bucketId: string;
  userId: string;
  /** The prefix of the uploaded bytes. */
  sourcePrefix: string;
  /** How many those are; missing where an earlier version has added the job. */
  size?: number;
  /** The prefix of the results of the first attempt; missing where an earlier version has added the job. */
  resultPrefix?: string;
  /** Whether the uploaded bytes stay in the storage once the file is published. */
  keepSource: boolean;
  /**
   * Set where the file is delivered as it was uploaded until it is processed, and stays so if that fails; missing where it is
   * delivered once it is processed only.
   */
  isPlain?: true;
  /** Whether the file may replace another one once it is published; missing where it may not. */
  mayReplace?: true;
};

/** The payload of a job that processes an image. */
export type ImagePayload = ProcessingPayload & {
  source: string;
  baseName: string;
  webp: boolean;
  /** Whether the uploaded bytes are delivered; missing where they are not. */
  isExact?: true;
};

/** The payload of a job that processes a video. */
export type VideoPayload = ProcessingPayload & {
  sources: string[];
  resolutions: Size[];
  thumbnail: string | null;
  timelinePreview: boolean;
};

/** A job in the queue that processes a file. */
export type ProcessingJob =
  | { kind: 'image'; payload: ImagePayload }
  | { kind: 'video'; payload: VideoPayload };

/**
 * Returns the job that processes an upload. Its original is kept where the bucket keeps originals, where an image
 * becomes a WebP, which is lossy, and for a video where the server is configured to keep it. An image that is not
 * optimised is delivered as it was uploaded, and needs no second copy.
 */
export function processingJobOf(
  { bucket, prefix, name, size, content, onConflict }: CompleteUpload,
  { keepVideos, resultPrefix }: { keepVideos: boolean; resultPrefix: string },
): ProcessingJob {
  const isKept = bucket.keep_originals === 1;
  const owner = { bucketId: bucket.id, userId: bucket.user_id };
  const mayReplace = onConflict === 'replace' && { mayReplace: true as const };
  const common = { ...owner, sourcePrefix: prefix, size, resultPrefix, ...mayReplace };
  if (content.type === 'image') {
    const { key: source, webp, isOptimized } = content;
    const keepSource = webp || (isKept && isOptimized);
    const image = { keepSource, source, baseName: slugOf(name, 'image'), webp };
    const payload = { ...common, ...image, ...(!isOptimized && { isExact: true as const }) };
    return { kind: 'image', payload };
  }
  const { type: kind, keys: sources, ...video } = content;
  return { kind, payload: { ...common, keepSource: keepVideos || isKept, sources, ...video } };
}

/** Returns the job that processes a file which is stored as it is, and whose bytes stay; null for most. */
export function plainJobOf({
  bucket,
  prefix,
  name,
  key,
  size,
  processAs,
}: PlainBytes): ProcessingJob | null {
  if (!processAs || prefix === undefined || name === undefined) return null;
  const owner = { bucketId: bucket.id, userId: bucket.user_id };
  const bytes = { sourcePrefix: prefix, size };
  const common = { ...owner, ...bytes, keepSource: true, isPlain: true } as const;
  if (processAs === 'image') {
    const image = { source: key, baseName: slugOf(name, 'image'), webp: false };
    return { kind: 'image', payload: { ...common, ...image } };
  }
  const video = { sources: [key], resolutions: [], thumbnail: null, timelinePreview: false };
  return { kind: 'video', payload: { ...common, ...video } };
}

/**
 * Returns the media process's job for an image, which stores its results below `prefix`. A slow image for
 * which others would have to wait fails, and is a job in the background.
 */
export function imageJob(
  { source, baseName, webp, isExact, userId }: ImagePayload,
  prefix: string,
): ImageJob {
  const owner = { owner: userId, ...(isExact && { isExact }) };
  return { kind: 'image', source, prefix, baseName, webp, ...owner };
}

/** Returns the media process's job for a slow image. */
export const backgroundImageJob = (payload: ImagePayload, prefix: string): ImageJob => ({
  ...imageJob(payload, prefix),
  isBackground: true,
});

/**
 * Returns the media process's job for a video, which stores its results below `prefix`. It fails for
 * a long video, which is a job in the background.
 */
export function videoJob(payload: VideoPayload, prefix: string): VideoJob {
  const { sources, resolutions, thumbnail, timelinePreview, userId } = payload;
  return {
    kind: 'video',
    sources,
    prefix,
    resolutions,
    timelinePreview,
    owner: userId,
    ...(thumbnail && { thumbnail }),
  };
}

/** Returns the media process's job for a long video. */
export const backgroundVideoJob = (payload: VideoPayload, prefix: string): VideoJob => ({
  ...videoJob(payload, prefix),
  isBackground: true,
});
