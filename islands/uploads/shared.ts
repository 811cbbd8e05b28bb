/** The exports of the upload islands that other islands may import. */
export { filesKey } from './queue/processing-status.ts';
export { Uploads } from './uploads.tsx';
