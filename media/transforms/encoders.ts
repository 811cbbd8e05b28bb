import type { Sharp } from 'sharp';
import type { DerivedFormat } from '../../server/contract/transforms.ts';

type Encoder = {
  ending: string;
  /** The longest side in pixels that the format or its encoder supports. */
  longest: number;
  isAnimated: boolean;
  hasAlpha: boolean;
  encode(image: Sharp, quality: number | null): Sharp;
};

const QUALITY = 80;

/** All of them write sRGB without metadata, which is sharp's default. */
export const ENCODERS: Record<DerivedFormat, Encoder> = {
  avif: {
    ending: 'avif',
    longest: 16_384,
    isAnimated: false,
    hasAlpha: true,
    // Effort 4 takes five times as long for 6% fewer bytes.
    encode: (image, quality) =>
      image.avif({
        quality: avifQuality(quality ?? QUALITY),
        effort: 2,
        chromaSubsampling: '4:2:0',
      }),
  },
  webp: {
    ending: 'webp',
    longest: 16_383,
    isAnimated: true,
    hasAlpha: true,
    encode: (image, quality) => image.webp({ quality: quality ?? QUALITY }),
  },
  jpeg: {
    ending: 'jpg',
    longest: 65_500,
    isAnimated: false,
    hasAlpha: false,
    encode: (image, quality) => image.jpeg({ quality: quality ?? QUALITY, mozjpeg: true }),
  },
  png: {
    ending: 'png',
    longest: 65_500,
    isAnimated: false,
    hasAlpha: true,
    encode: (image) => image.png(),
  },
  gif: {
    ending: 'gif',
    longest: 16_383,
    isAnimated: true,
    hasAlpha: true,
    encode: (image) => image.gif(),
  },
};

/**
 * Converts a quality to the scale of AVIF, whose 50 looks like the 80 of JPEG and WebP while 100 is 100. So
 * one requested quality looks the same in every format.
 */
export function avifQuality(quality: number): number {
  return Math.round(quality <= 80 ? quality * 0.625 : 50 + (quality - 80) * 2.5);
}
