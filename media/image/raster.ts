/** The bytes that tell the formats of pixels apart, which are all but SVG, and where they are. */
const SIGNATURES: [start: number, bytes: string][] = [
  [0, '\xff\xd8\xff'],
  [0, '\x89PNG'],
  [0, 'GIF8'],
  [8, 'WEBP'],
  [0, 'II*\0'],
  [0, 'MM\0*'],
  [4, 'ftypavif'],
  [4, 'ftypavis'],
];
const HEAD_BYTES = 16;

/** The main brands of HEIC, ISO/IEC 23008-12: still images, their sequences, and both in HEVC. */
const HEIC_BRANDS = ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1'];

/** Whether a local file is a JPEG, PNG, WebP, GIF, TIFF or AVIF by its first bytes. */
export async function isRaster(path: string): Promise<boolean> {
  const head = await headOf(path);
  return SIGNATURES.some(([start, bytes]) => head.startsWith(bytes, start));
}

/** Whether a local file is a HEIC photo by its first bytes. */
export async function isHeic(path: string): Promise<boolean> {
  const head = await headOf(path);
  return HEIC_BRANDS.some((brand) => head.startsWith(`ftyp${brand}`, 4));
}

const headOf = async (path: string) =>
  Buffer.from(await Bun.file(path).slice(0, HEAD_BYTES).bytes()).toString('latin1');
