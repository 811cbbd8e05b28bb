/**
 * The previews of the dashboard, for screens of twice the density. AVIF shows animations by their first frame,
 * and is the smallest.
 */
const QUERIES = {
  /** In the list of files: 44 CSS pixels. Small images are not enlarged. */
  thumbnail: 'width=96&height=96&fit=crop&format=avif',
  /** On a card of the grid, whose width depends on the window: about 160 by 112 CSS pixels. */
  card: 'width=336&height=240&fit=crop&format=avif',
  /** In the details of a file: 420 by 240 CSS pixels. */
  preview: 'width=840&height=480&format=avif',
} as const;
export type PreviewSize = keyof typeof QUERIES;

/** Returns the query of a preview. A small drawing is sharp in any size, so it is as large as it is shown. */
export const previewQuery = (size: PreviewSize, name: string): string =>
  size === 'preview' && name.endsWith('.svg') ? `${QUERIES.preview}&fit=contain` : QUERIES[size];
