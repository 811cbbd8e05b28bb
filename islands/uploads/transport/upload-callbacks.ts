/** What an upload is told, and tells, on its way. */
export type UploadCallbacks = {
  /** Aborted by whoever stops it. */
  signal: AbortSignal;
  /** Bytes of the file that have left so far. */
  onSent: (bytes: number) => void;
  /** No answer came. It goes on by itself. */
  onPause: () => void;
};
