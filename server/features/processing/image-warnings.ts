import type { ImageWarning } from '../../contract/media.ts';

const DELIVERED_SIDE = 'A WebP image can be at most 16,383 pixels wide and high.';

/** What users read in a file's `warning`. */
export const IMAGE_WARNING_TEXTS: Record<ImageWarning, string> = {
  damaged: 'The image is damaged or incomplete. What could be read of it is delivered.',
  'too-long-for-webp': `${DELIVERED_SIDE} This image is larger, so it is delivered in its own format.`,
  'shrunk-for-webp': `${DELIVERED_SIDE} This image is larger, so it is delivered in a smaller size.`,
  'animated-png':
    'This animated PNG is delivered in its own format. Its other sizes and formats show the first frame.',
  'svg-undrawable':
    "This SVG uses features that only browsers can draw, such as CSS variables. It is delivered as SVG and can't be converted to other sizes or formats.",
  'svg-adaptive':
    'This SVG is animated or adapts to its viewer, so it is delivered as SVG. Its other sizes and formats are still images.',
};
