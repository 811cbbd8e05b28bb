/** A generated image in another size or format. It is deleted together with its file. */
export type TransformRow = {
  id: string;
  file_id: string;
  /** The bucket to which its bytes belong. */
  bucket_id: string;
  /** The canonical text of the transform. */
  transform: string;
  /** The prefix of its one object, below that of the file. Ends in '/'. */
  prefix: string;
  name: string;
  bytes: number;
  /** When the image was last used. It is updated at most once a minute. */
  used_at: number;
};

/** Counts the generated images of a bucket, and their bytes. Triggers of `derivatives` keep it. */
export type TransformTotalRow = { bucket_id: string; images: number; bytes: number };

declare module '../../../platform/db/tables.ts' {
  /** The tables of transforms, by their names. */
  interface Tables {
    derivatives: TransformRow;
    derivative_totals: TransformTotalRow;
  }
}
