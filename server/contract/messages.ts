/** Texts of the specification that both sides show, word for word. */
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
  copyFailed: 'Error coping to clipboard',
  nothingToCopy: 'No text to copy here!',
  missingBucketId: 'Missing bucket id',
  noBucketId: 'No bucket id found.',
} as const;
