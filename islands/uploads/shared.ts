/** What other subjects may use of uploads. */
export { filesKey } from './queue/processing-status.ts';
export { Uploads } from './uploads.tsx';
