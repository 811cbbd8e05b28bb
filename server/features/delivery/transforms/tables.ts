/** An image in another size or format; gone with its file. */
export type GeneratedImageRow = {
  id: string;
  file_id: string;
  /** The parameters in their one form. */
  transform: string;
  /** Below the file's own; holds this one object. Ends in '/'. */
  prefix: string;
  name: string;
  bytes: number;
  /** Late by a minute at most. */
  used_at: number;
};

/** The tables of transforms, by their names. */
export type TransformTables = {
  derivatives: GeneratedImageRow;
};
