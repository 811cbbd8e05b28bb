/** The exports of the upload islands that other islands may import. */
export type { FileRules } from './dialogs/upload-rules.ts';
export { filesKey } from './queue/processing-status.ts';
export { InterruptedUploads } from './resume/interrupted-list.tsx';
export { Uploads } from './uploads.tsx';
