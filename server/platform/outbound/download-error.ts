/** Nothing can be downloaded from a URL. The message is a sentence for the user who has chosen it. */
export class DownloadError extends Error {
  override name = 'DownloadError';
}
