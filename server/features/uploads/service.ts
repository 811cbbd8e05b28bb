export { forgetUploads as forgetExpiredUploads } from './store.ts';
