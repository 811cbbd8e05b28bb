import type { Size } from '../../server/contract/media.ts';

/** The colours that a video declares, in ffprobe's words; empty where it declares none. */
export type Colours = { matrix: string; transfer: string; primaries: string; range: string };

/** PQ (SMPTE ST 2084) and HLG (ARIB STD-B67). */
const HDR = new Set(['smpte2084', 'arib-std-b67']);
const HD_SIDE = 720;
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
  source: Size,
  { width, height }: Size,
  hasZscale: boolean,
): string {
  const end = `setsar=1,format=yuv420p,${BT709}`;
  if (isHdr(colours) && hasZscale) {
    const { matrix, transfer, primaries, range } = colours;
    return [
      `zscale=w=${width}:h=${height}:f=bicubic:tin=${transfer}:min=${knownOr(matrix, 'bt2020nc')}` +
        `:pin=${knownOr(primaries, 'bt2020')}:rin=${knownOr(range, 'tv')}:t=linear:npl=100`,
      'format=gbrpf32le',
      'zscale=p=bt709',
      'tonemap=tonemap=hable:desat=0',
      'zscale=t=bt709:m=bt709:r=tv',
      end,
    ].join(',');
  }
  return (
    `scale=${width}:${height}:flags=bicubic:in_color_matrix=${matrixOf(colours, source)}` +
    `:out_color_matrix=bt709:out_range=tv,${end}`
  );
}

const knownOr = (value: string, otherwise: string) =>
  value === '' || value === 'unknown' ? otherwise : value;

/**
 * Returns the matrix of a video. Players assume BT.709 from 720 lines on and BT.601 below where it declares
 * none.
 */
function matrixOf(colours: Colours, { width, height }: Size): string {
  if (isHdr(colours)) return 'bt2020';
  const assumed = Math.min(width, height) >= HD_SIDE ? 'bt709' : 'bt601';
  return knownOr(colours.matrix, assumed) === colours.matrix ? 'auto' : assumed;
}
