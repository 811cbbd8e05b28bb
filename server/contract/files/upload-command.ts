/**
 * Returns the curl command that uploads an image, as lines. It does not contain the API key, which would end up in the
 * history of the shell.
 * @param bucket the id of a bucket, or the variable that has it
 */
export const uploadCommand = (appUrl: string, bucket = '$BUCKET_ID'): string[] => [
  `curl "${appUrl}/files/upload/image/${bucket}"`,
  '-H "Authorization: Bearer $API_KEY"',
  '-F access=public',
  '-F file=@photo.jpg',
];

/** Returns the lines of a command as a shell takes them. */
export const inLines = (lines: string[]): string => lines.join(' \\\n  ');
