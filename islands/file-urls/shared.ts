/** What other islands may import: the URLs of files, and copying, opening and downloading by them. */
export {
  downloadUrl,
  embedSnippet,
  expiryOf,
  shareUrl,
  viewUrl,
  withToken,
} from './file-url.ts';
export { copyShared, downloadShared, loadFileToken, openShared } from './share-file.ts';
