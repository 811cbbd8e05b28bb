/** What both upload dialogs are given. */
export type DialogProps = {
  bucketId: string;
  open: boolean;
  onOpen: (open: boolean) => void;
  /** Files that were dropped on the page for this dialog; a new array each time. */
  dropped: File[];
  /** The bucket's files are others now. */
  onChange: () => unknown;
};
