import { useState } from 'react';
import type { Size } from '../../../server/contract/media.ts';
import { MESSAGES } from '../../../server/contract/messages.ts';
import { ApiError } from '../../runtime/api-error.ts';
import { newOnes } from '../file-kinds.ts';
import { discard, findResumableUpload, type ResumableUpload } from '../resume/resumable-uploads.ts';
import { suggestedFor, VideoProbes } from './video-probes.ts';

/** A selected video, and what is known about it. */
export type Video = {
  file: File;
  /** Null until the server has answered. */
  size: Size | null;
  /** Whether it is known if an upload of it was interrupted. */
  isChecked: boolean;
  /** The sizes to transcode it to, as a list; all that fit it until the user chooses others. */
  resolution: string;
  /** An earlier upload of this file that was interrupted. */
  interrupted: ResumableUpload | null;
  /** The user has chosen to resume that upload. */
  isResumed: boolean;
};

const UNKNOWN = {
  size: null,
  isChecked: false,
  resolution: '',
  interrupted: null,
  isResumed: false,
};

/**
 * The selected videos. Selecting one asks the server for its size immediately. One that is no video is
 * removed, and `report` tells why.
 */
export function useVideos(bucketId: string, report: (problem: string) => void) {
  const [videos, setVideos] = useState<Video[]>([]);
  const [probes] = useState(() => new VideoProbes(bucketId));

  const change = (file: File, changes: Partial<Video>) =>
    setVideos((videos) => videos.map((one) => (one.file === file ? { ...one, ...changes } : one)));

  const remove = (file: File) => {
    probes.stop(file);
    setVideos((videos) => videos.filter((one) => one.file !== file));
  };

  const probe = async (file: File) => {
    const signal = probes.add(file);
    // If the browser can't tell, the upload starts over.
    const interrupted = await findResumableUpload(bucketId, file).catch(() => null);
    const answer = probes.ask(file, signal);
    change(file, { interrupted, isChecked: true });
    try {
      const size = await answer;
      change(file, { size, resolution: suggestedFor(size) });
    } catch (error) {
      // The row of an upload that has started tells it.
      if (signal.aborted || !probes.has(file)) return;
      report(error instanceof ApiError ? error.message : MESSAGES.unexpected);
      remove(file);
    }
  };

  return {
    videos,
    add(files: File[]) {
      const added = newOnes(probes.files, files);
      setVideos((videos) => [...videos, ...added.map((file) => ({ file, ...UNKNOWN }))]);
      for (const file of added) void probe(file);
    },
    remove,
    choose: (file: File, resolution: string) => change(file, { resolution }),
    suggestionOf: (file: File) => probes.suggestionOf(file),
    /** Removes the videos, whose uploads have started. */
    release() {
      probes.release();
      setVideos([]);
    },
    clear() {
      for (const file of probes.files) probes.stop(file);
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
