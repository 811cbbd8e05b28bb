export { deliveredBytes, type Media, NO_MEDIA, UNPROCESSED, type UploadedMedia } from './media.ts';
export {
  IS_PUBLISHED,
  isProcessing,
  lockedMedia,
  MADE_COLUMNS,
  MAY_BE_PUBLISHED,
  mediaColumns,
  mediaInsertion,
  mediaOf,
  OF_FILE,
  STATUS,
  takeAllMedia,
  takeMedia,
} from './store.ts';
export type { MediaRow, Rendition } from './tables.ts';
