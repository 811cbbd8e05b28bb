/** The exports of the upload islands that other islands may import. */
export type { FileRules } from './dialogs/upload-rules.ts';
export { filesKey } from './files-key.ts';
export { InterruptedUploads } from './interrupted-uploads.tsx';
export { Uploads } from './uploads.tsx';
