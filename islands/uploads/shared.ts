/** The exports of the upload islands that other islands may import. */
export { filesKey } from './queue/processing-status.ts';
export { InterruptedUploads } from './resume/interrupted-list.tsx';
export { Uploads } from './uploads.tsx';
