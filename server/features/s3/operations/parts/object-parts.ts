/** The parts in which an object was uploaded, as they are stored with its bytes. */
export type ObjectParts = {
  /** In bytes. */
  sizes: number[];
  /** In Base64; null where the upload had no checksum. */
  checksums: string[] | null;
};

/** Returns the parts of an object; null where it was uploaded in one request, or by an earlier version. */
export const parseParts = (json: string | null): ObjectParts | null =>
  json === null ? null : (JSON.parse(json) as ObjectParts);

/** Returns where a part begins and ends, with `end` exclusive; null where there is none of this number. */
export function partRange(
  { sizes }: ObjectParts,
  number: number,
): { start: number; end: number } | null {
  const size = sizes[number - 1];
  if (size === undefined) return null;
  const start = sizes.slice(0, number - 1).reduce((sum, one) => sum + one, 0);
  return { start, end: start + size };
}
