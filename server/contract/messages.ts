/** The texts that the specification quotes, for the server and the islands. */
export const MESSAGES = {
  unexpected: 'An unexpected error occurred.',
  passwordsDiffer: "The passwords you entered don't match. Please try again.",
  tokenExpired: 'Token expired',
  noFile: 'No file provided.',
  videoRequired: 'The video file is required.',
  resolutionNeedsVideo: 'A video must be selected before adding resolutions.',
  ratioUnsupported: 'Aspect ratio not supported.',
  noBuckets: 'No buckets to diplay.',
  noFiles: 'No files here.',
  urlNotReady: 'The file URL is not yet available.',
  copied: 'Text copied clipboard!',
  copiedKey: 'Copied to clipboard!',
  copyFailed: 'Error coping to clipboard',
  nothingToCopy: 'No text to copy here!',
  missingBucketId: 'Missing bucket id',
  missingBucketIdSettings: 'Missing bucket id.',
  noBucketId: 'No bucket id found.',
  noBalance: 'Error',
  noBucketIdProvided: 'No bucket id provided',
} as const;

/** Returns the title of a page as browsers show it, with the product's name. */
export const documentTitle = (title: string): string => `${title} · Wharf`;

/** Returns the title of a bucket's settings, which the page changes when the bucket is renamed. */
export const settingsTitle = (bucketName: string): string => `Settings of ${bucketName}`;
