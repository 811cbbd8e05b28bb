import { useRef, useState } from 'react';
import { createLimiter } from '../../../server/contract/limiter.ts';
import { VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import type { Size } from '../../../server/contract/media.ts';
import { MESSAGES } from '../../../server/contract/messages.ts';
import { suggestResolutions } from '../../../server/contract/resolutions.ts';
import { ApiError } from '../../runtime/api-error.ts';
import { newOnes } from '../file-kinds.ts';
import { discard, findResumableUpload, type ResumableUpload } from '../resume/resumable-uploads.ts';
import { isServerBusy, withRetry } from '../transport/retry.ts';
import { sendForm } from '../transport/send-form.ts';

const NEED_TAIL = 'need-tail';

/** A selected video, and what is known about it. */
export type Video = {
  file: File;
  /** Null until the server has answered. */
  size: Size | null;
  /** The sizes to transcode it to, as a list; all that fit it until the user chooses others. */
  resolution: string;
  /** An earlier upload of this file that was interrupted. */
  interrupted: ResumableUpload | null;
  /** The user has chosen to resume that upload. */
  isResumed: boolean;
};

const PROBE_CONCURRENCY = 2;

/**
 * The selected videos. Selecting one asks the server for its size immediately. One that is no video is
 * removed, and `report` tells why.
 */
export function useVideos(bucketId: string, report: (problem: string) => void) {
  const [videos, setVideos] = useState<Video[]>([]);
  const probes = useRef(new Map<File, AbortController>());
  const [limited] = useState(() => createLimiter(PROBE_CONCURRENCY));

  const change = (file: File, changes: Partial<Video>) =>
    setVideos((videos) => videos.map((one) => (one.file === file ? { ...one, ...changes } : one)));

  const remove = (file: File) => {
    probes.current.get(file)?.abort();
    probes.current.delete(file);
    setVideos((videos) => videos.filter((one) => one.file !== file));
  };

  const probe = async (file: File) => {
    const { signal } = probes.current.set(file, new AbortController()).get(file) ?? {};
    if (!signal) return;
    // If the browser can't tell, the upload starts over.
    const interrupted = await findResumableUpload(bucketId, file).catch(() => null);
    if (interrupted) change(file, { interrupted });
    try {
      const size = await limited(() => probeVideo(bucketId, file, signal), signal);
      change(file, { size, resolution: (suggestResolutions(size) ?? []).join(', ') });
    } catch (error) {
      if (signal.aborted) return;
      report(error instanceof ApiError ? error.message : MESSAGES.unexpected);
      remove(file);
    }
  };

  return {
    videos,
    add(files: File[]) {
      const added = newOnes([...probes.current.keys()], files);
      const fresh = added.map((file) => ({
        file,
        size: null,
        resolution: '',
        interrupted: null,
        isResumed: false,
      }));
      setVideos((videos) => [...videos, ...fresh]);
      for (const file of added) void probe(file);
    },
    remove,
    choose: (file: File, resolution: string) => change(file, { resolution }),
    clear() {
      for (const controller of probes.current.values()) controller.abort();
      probes.current.clear();
      setVideos([]);
    },
    /** Marks an interrupted upload to be resumed, with the options that it was started with. */
    resume: (file: File) => change(file, { isResumed: true }),
    /** Discards an interrupted upload. If that fails, the server deletes it after a day. */
    restart(video: Video) {
      if (video.interrupted) void discard(video.interrupted.entry).catch(() => {});
      change(video.file, { interrupted: null, isResumed: false });
    },
  };
}

/**
 * Asks the server for the size that a video is shown at. It sends the first 9 MiB, and the last 9 MiB
 * too if the server finds no index in the first. Throws ApiError, or the signal's reason.
 */
async function probeVideo(bucketId: string, file: File, signal: AbortSignal): Promise<Size> {
  const sendProbe = (parts: { tail: boolean }) => {
    const form = new FormData();
    form.set('file', file.slice(0, VIDEO_CHUNK_BYTES), file.name);
    if (parts.tail) form.set('tail', file.slice(-VIDEO_CHUNK_BYTES), file.name);
    const path = `/files/resolution/video/${encodeURIComponent(bucketId)}`;
    const send = () => sendForm<{ resolution: string }>(path, form, { signal });
    return withRetry(send, { signal, shouldRetry: isServerBusy });
  };
  const { resolution } = await sendProbe({ tail: false }).catch((error) => {
    if (error instanceof ApiError && error.details.code === NEED_TAIL)
      return sendProbe({ tail: true });
    throw error;
  });
  const [, width = 0, height = 0] = /^(\d+)x(\d+)$/.exec(resolution)?.map(Number) ?? [];
  if (!(width > 0 && height > 0)) throw new ApiError(200, MESSAGES.unexpected);
  return { width, height };
}
