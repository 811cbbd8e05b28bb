import type { Size } from '../../../server/contract/media.ts';
import type { Transformation } from './orientation.ts';

/** ISO/IEC 14496-12, 12.1.4: a size, a type, and four fractions for width, height and the two offsets. */
const CLAP_BYTES = 40;

export const isCrop = ({ kind }: Transformation): boolean => kind === 'crop';

/**
 * Makes the crops of a file in memory as large as its picture, once they are read. libheif 1.23 refuses a
 * picture that has many more pixels than are left of it (its issue 1856), even where it is not to crop.
 */
export function widenCrops(file: Uint8Array, { width, height }: Size): void {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  for (let at = bytes.indexOf('clap'); at >= 0; at = bytes.indexOf('clap', at + 4)) {
    const isBox = at >= 4 && bytes.readUInt32BE(at - 4) === CLAP_BYTES;
    if (!isBox || at - 4 + CLAP_BYTES > bytes.length) continue;
    for (const [index, value] of [width, 1, height, 1, 0, 1, 0, 1].entries())
      bytes.writeUInt32BE(value, at + 4 + index * 4);
  }
}
