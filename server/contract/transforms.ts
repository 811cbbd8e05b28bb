/** What can be asked of an image on its way out, after rounding: what the web process tells the media process. */

export const FITS = ['scale-down', 'contain', 'cover', 'crop', 'pad'] as const;
export type Fit = (typeof FITS)[number];

export const DERIVED_FORMATS = ['avif', 'webp', 'jpeg', 'png', 'gif'] as const;
export type DerivedFormat = (typeof DERIVED_FORMATS)[number];

/** Where the important part lies: 0 to 1 from the left and from the top, or found by looking. */
export type Gravity = 'auto' | { x: number; y: number };

/** Red, green, blue, alpha, each 0 to 255. */
export type Rgba = [number, number, number, number];

export type Transform = {
  /** The box, in pixels of the result, 1 to DERIVED_SIDE_MAX; null where only the other side counts. */
  width: number | null;
  height: number | null;
  fit: Fit;
  gravity: Gravity;
  format: DerivedFormat;
  /** 1 to 100, as JPEG and WebP understand it; null for what suits the format. */
  quality: number | null;
  /** Radius in pixels of the result; 0 for none. */
  blur: number;
  /** 0 for none, to 10. */
  sharpen: number;
  /** Clockwise, after the image was put upright and before anything else. */
  rotate: 0 | 90 | 180 | 270;
  /** What shows through and around the image; null for nothing, or white where there must be something. */
  background: Rgba | null;
};

export const DERIVED_SIDE_MAX = 4096;

/** How a bucket answers images with parameters: not at all, or anybody, within limits. */
export const TRANSFORM_POLICIES = ['off', 'open'] as const;
export type TransformPolicy = (typeof TRANSFORM_POLICIES)[number];
