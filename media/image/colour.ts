import type { Size } from '../../server/contract/media.ts';

/** The colours that a video declares, in ffprobe's words; empty where it declares none. */
export type Colours = {
  matrix: string;
  transfer: string;
  primaries: string;
  range: string;
  /** The lines of the picture with square pixels, before rotation. They decide where it declares no matrix. */
  lines: number;
};

/** PQ (SMPTE ST 2084) and HLG (ARIB STD-B67). */
const HDR = new Set(['smpte2084', 'arib-std-b67']);
const HD_LINES = 720;
/**
 * ITU-R BT.2408: HDR's white is 203 candela per square metre, and becomes that of SDR. Between half of it and the
 * peak of 1000 the curve bends, within 6 of 255 levels of ITU-R BT.2390's, of which ffmpeg 5.1 has none.
 */
const HDR_WHITE = 203;
const TONE_MAP = `tonemap=tonemap=mobius:param=0.5:peak=${(1000 / HDR_WHITE).toFixed(3)}:desat=0`;
const BT709 = 'setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709';

export const isHdr = ({ transfer }: Colours) => HDR.has(transfer);

/**
 * Returns the ffmpeg filters that scale a picture and convert it to 8-bit SDR BT.709 with limited range,
 * which all players show alike. HDR is tone-mapped where ffmpeg has zscale (libzimg). Without it only the
 * matrix is converted, which gives the right hues but paler colours.
 *
 * Another matrix than BT.709, as in standard definition, goes through RGB, which rounds: a grey of 128 becomes
 * 126, and white 233 of 235. Exact rounding (`accurate_rnd+full_chroma_int`) takes five times as long, nearly as
 * long as encoding. ffmpeg's filter `colorspace` would be exact and faster, but only takes planar YUV.
 */
export function toStandardColours(
  colours: Colours,
  { width, height }: Size,
  hasZscale: boolean,
): string {
  const end = `setsar=1,format=yuv420p,${BT709}`;
  if (isHdr(colours) && hasZscale) {
    const { matrix, transfer, primaries, range } = colours;
    return [
      `zscale=w=${width}:h=${height}:f=bicubic:tin=${transfer}:min=${knownOr(matrix, 'bt2020nc')}` +
        `:pin=${knownOr(primaries, 'bt2020')}:rin=${knownOr(range, 'tv')}:t=linear:npl=${HDR_WHITE}`,
      'format=gbrpf32le',
      'zscale=p=bt709',
      TONE_MAP,
      'zscale=t=bt709:m=bt709:r=tv',
      end,
    ].join(',');
  }
  return (
    `scale=${width}:${height}:flags=bicubic:in_color_matrix=${matrixOf(colours)}` +
    `:out_color_matrix=bt709:out_range=tv,${end}`
  );
}

const knownOr = (value: string, otherwise: string) =>
  value === '' || value === 'unknown' ? otherwise : value;

/**
 * Returns the matrix of a video. Chromium assumes BT.709 from 720 lines on and BT.601 below where it declares
 * none, also of portrait videos and before it rotates them.
 */
function matrixOf(colours: Colours): string {
  if (isHdr(colours)) return 'bt2020';
  const assumed = colours.lines >= HD_LINES ? 'bt709' : 'bt601';
  return knownOr(colours.matrix, assumed) === colours.matrix ? 'auto' : assumed;
}
