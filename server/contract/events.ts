import type { FileStatus } from './wire.ts';

/** What the socket tells an open page. It never holds more than the page may read by HTTP. */
export type FileEvent = {
  type: 'file.progress' | 'file.playable' | 'file.success' | 'file.error' | 'file.deleted';
  fileId: string;
  bucketId: string;
  status: FileStatus;
  /** Per cent, 0 to 100. */
  progress: number;
};
