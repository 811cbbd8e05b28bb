import { iccProfile, type Primaries, type Transfer } from './icc-profile.ts';

const D65: [number, number] = [0.3127, 0.329];
const SRGB: Primaries = { red: [0.64, 0.33], green: [0.3, 0.6], blue: [0.15, 0.06], white: D65 };

/** Primaries by their code points in ITU-T H.273, table 2. */
const PRIMARIES: Record<number, Primaries> = {
  1: SRGB,
  2: SRGB,
  5: { red: [0.64, 0.33], green: [0.29, 0.6], blue: [0.15, 0.06], white: D65 },
  6: { red: [0.63, 0.34], green: [0.31, 0.595], blue: [0.155, 0.07], white: D65 },
  9: { red: [0.708, 0.292], green: [0.17, 0.797], blue: [0.131, 0.046], white: D65 },
  12: { red: [0.68, 0.32], green: [0.265, 0.69], blue: [0.15, 0.06], white: D65 },
};

const SRGB_TRANSFER = 13;

/** Candela per square metre of white on a screen with SDR, and of the brightest light of HDR: ITU-R BT.2408. */
const SDR_WHITE = 203;
const HDR_PEAK = 1000;

const srgb: Transfer = (value) =>
  value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const power =
  (exponent: number): Transfer =>
  (value) =>
    value ** exponent;
/** ITU-R BT.2100, tables 4 and 5. */
const pq: Transfer = (value) => {
  const root = value ** (32 / 2523);
  const light = Math.max(0, root - 107 / 128) / (2413 / 128 - (2392 / 128) * root);
  return toneMapped(10_000 * light ** (8192 / 1305));
};
const hlg: Transfer = (value) => {
  const scene =
    value <= 0.5
      ? value ** 2 / 3
      : (Math.exp((value - 0.559_910_73) / 0.178_832_77) + 0.284_668_92) / 12;
  return toneMapped(HDR_PEAK * scene ** 1.2);
};

/** How screens show what television's cameras encode: ITU-R BT.1886. */
const bt709 = power(2.4);

/** Transfer functions by their code points in table 3. */
const TRANSFERS: Record<number, Transfer> = {
  ...{ 1: bt709, 2: srgb, 6: bt709, 13: srgb, 14: bt709, 15: bt709 },
  ...{ 4: power(2.2), 5: power(2.8), 8: power(1), 16: pq, 18: hlg },
};

/** Maps candela per square metre to the light of SDR, as Chromium maps HDR images: Reinhard's curve to the peak. */
function toneMapped(candela: number): number {
  const light = Math.min(candela, HDR_PEAK) / SDR_WHITE;
  return (light * (1 + light / (HDR_PEAK / SDR_WHITE) ** 2)) / (1 + light);
}

/**
 * Returns an ICC profile for colours that an image declares by code points (ITU-T H.273), with HDR brought to
 * SDR; null for sRGB, and for what is unknown.
 */
export function profileOfCodePoints(primaries: number, transfer: number): Buffer | null {
  const [from, light] = [PRIMARIES[primaries], TRANSFERS[transfer]];
  if (!from || !light || (from === SRGB && light === srgb)) return null;
  return iccProfile(from, light);
}

/**
 * Returns the profile of an AVIF's or HEIC's code points. Browsers show its transfer functions of television as
 * sRGB, which many encoders mean.
 */
export const profileOfNclx = (primaries: number, transfer: number): Buffer | null =>
  profileOfCodePoints(primaries, TRANSFERS[transfer] === bt709 ? SRGB_TRANSFER : transfer);

/** Returns an ICC profile for a PNG's gAMA, the exponent of its encoder, and cHRM; null for what is as in sRGB. */
export function profileOfGamma(gamma: number | null, primaries: Primaries | null): Buffer | null {
  const isSrgb = gamma === null || Math.abs(gamma - 1 / 2.2) < 0.001;
  if (isSrgb && (!primaries || isNear(primaries, SRGB))) return null;
  return iccProfile(primaries ?? SRGB, isSrgb ? srgb : power(1 / (gamma as number)));
}

const isNear = (a: Primaries, b: Primaries) =>
  (['red', 'green', 'blue', 'white'] as const).every((name) =>
    a[name].every((value, at) => Math.abs(value - (b[name][at] as number)) < 0.002),
  );
