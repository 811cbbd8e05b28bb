/** The package has no types of its own. Only what scripts/build/fonts.ts uses is declared. */
declare module 'subset-font' {
  /** Returns a font with the glyphs of a text alone, and of a variable font a part of its axes. */
  export default function subsetFont(
    font: Buffer,
    text: string,
    options: {
      targetFormat: 'sfnt' | 'woff' | 'woff2';
      variationAxes?: Record<string, number | { min: number; max: number }>;
      /** The OpenType features that are kept; all where it is left out. */
      keepFeatures?: string[];
    },
  ): Promise<Buffer>;
}
