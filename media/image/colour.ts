import type { Size } from '../../server/contract/media.ts';

/** What a video says of its colours, in ffprobe's words; empty where it says nothing. */
export type Colours = { matrix: string; transfer: string; primaries: string; range: string };

/** PQ (SMPTE ST 2084) and HLG (ARIB STD-B67). */
const HDR = new Set(['smpte2084', 'arib-std-b67']);
const HD_SIDE = 720;
const BT709 = 'setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709';

export const isHdr = ({ transfer }: Colours) => HDR.has(transfer);

/**
 * ffmpeg's filters that bring a picture to a size in 8-bit SDR BT.709 with limited range, which
 * is all that every player shows alike. HDR is tone-mapped where ffmpeg has zscale (libzimg);
 * without it only its matrix is converted: paler than it should be, but with the right hues.
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
      `zscale=w=${width}:h=${height}:f=bicubic:tin=${transfer}:min=${known(matrix, 'bt2020nc')}` +
        `:pin=${known(primaries, 'bt2020')}:rin=${known(range, 'tv')}:t=linear:npl=100`,
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

const known = (value: string, otherwise: string) =>
  value === '' || value === 'unknown' ? otherwise : value;

/** What players assume of a video that says nothing: BT.709 from 720 lines on, BT.601 below. */
function matrixOf(colours: Colours, { width, height }: Size): string {
  if (isHdr(colours)) return 'bt2020';
  const assumed = Math.min(width, height) >= HD_SIDE ? 'bt709' : 'bt601';
  return known(colours.matrix, assumed) === colours.matrix ? 'auto' : assumed;
}
