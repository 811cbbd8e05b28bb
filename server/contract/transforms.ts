/* The image transforms, after rounding, as the web process sends them to the media process. */

export const FITS = ['scale-down', 'contain', 'cover', 'crop', 'pad'] as const;
export type Fit = (typeof FITS)[number];

export const DERIVED_FORMATS = ['avif', 'webp', 'jpeg', 'png', 'gif'] as const;
export type DerivedFormat = (typeof DERIVED_FORMATS)[number];

/**
 * The formats in which images that are stored as they are have transforms, by their content types. Not every browser
 * shows those that are not their own.
 */
export const PLAIN_FORMATS: Record<string, DerivedFormat> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'webp',
  'image/heic': 'webp',
  'image/tiff': 'webp',
  'image/bmp': 'webp',
  'image/svg+xml': 'png',
};

/**
 * The part of an image that a crop keeps: a point, 0 to 1 from the left and the top, or detected
 * with 'auto'.
 */
export type Gravity = 'auto' | { x: number; y: number };

/** Red, green, blue and alpha, each 0 to 255. */
export type Rgba = [number, number, number, number];

export type Transform = {
  /**
   * A side of the result in pixels, 1 to DERIVED_SIDE_MAX; null where only the other side is given.
   */
  width: number | null;
  height: number | null;
  fit: Fit;
  gravity: Gravity;
  format: DerivedFormat;
  /** The quality as JPEG and WebP define it, 1 to 100; null for the default of the format. */
  quality: number | null;
  /** The radius of the blur in pixels of the result; 0 for none. */
  blur: number;
  /** The strength of the sharpening, 0 for none to 10. */
  sharpen: number;
  /**
   * The clockwise rotation in degrees. It comes after the EXIF orientation and before all other
   * steps.
   */
  rotate: 0 | 90 | 180 | 270;
  /**
   * The colour behind and around the image; null for transparent, or white in a format without
   * alpha.
   */
  background: Rgba | null;
};

export const DERIVED_SIDE_MAX = 4096;
/** The highest quality, as JPEG and WebP define it. */
export const QUALITY_MAX = 100;

/** Who may request transforms of a bucket's images: nobody, or anybody within the limits. */
export const TRANSFORM_POLICIES = ['off', 'open'] as const;
export type TransformPolicy = (typeof TRANSFORM_POLICIES)[number];
