import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sharp } from 'sharp';
import type { Size } from '../../server/contract/media.ts';
import { sharp } from '../image/sharp.ts';
import { picture } from './pictures.ts';

type Photo = {
  /** Of that size; `picture()` by default. */
  image?: Sharp;
  width?: number;
  height?: number;
  /** Quarter turns anticlockwise that a viewer has to make. */
  turns?: number;
  /** Whether its colours are those of a profile of Display P3. */
  isWide?: boolean;
  /** The size that it declares; that of its pixels by default. */
  declared?: Size;
};

/**
 * Returns an image as a HEIC file with one item, as ISO/IEC 23008-12 describes it. ffmpeg encodes the
 * pixels, and has no muxer for the format.
 */
export async function heic(photo: Photo = {}): Promise<Buffer> {
  const { width = 64, height = 48, turns, isWide = false } = photo;
  const declared = photo.declared ?? { width, height };
  const image = photo.image ?? picture(width, height);
  const png = await (isWide ? image.withIccProfile('p3') : image).png().toBuffer();
  const profile = isWide ? (await sharp(png).metadata()).icc : undefined;
  const { configuration, sample } = await encoded(png);
  const properties = [
    configuration,
    fullBox('ispe', u32(declared.width), u32(declared.height)),
    ...(turns === undefined ? [] : [box('irot', Buffer.from([turns]))]),
    ...(profile ? [box('colr', Buffer.from('prof'), profile)] : []),
  ];
  const associations = properties.map((_, at) => Buffer.from([at + 1]));
  const ftyp = box('ftyp', Buffer.from('heic'), u32(0), Buffer.from('mif1heic'));
  const metaAt = (offset: number) =>
    fullBox(
      'meta',
      fullBox('hdlr', u32(0), Buffer.from('pict'), Buffer.alloc(13)),
      fullBox('pitm', u16(1)),
      fullBox('iinf', u16(1), box('infe', u32(2 << 24), u16(1), u16(0), Buffer.from('hvc1\0'))),
      box(
        'iprp',
        box('ipco', ...properties),
        fullBox('ipma', u32(1), u16(1), Buffer.from([properties.length]), ...associations),
      ),
      // Offsets and lengths of four bytes, one item with one extent.
      fullBox(
        'iloc',
        ...[Buffer.from([0x44, 0]), u16(1), u16(1), u16(0), u16(1)],
        ...[u32(offset), u32(sample.length)],
      ),
    );
  const start = ftyp.length + metaAt(0).length + 8;
  return Buffer.concat([ftyp, metaAt(start), box('mdat', sample)]);
}

/** Encodes one frame. Returns its hvcC box and its bytes. */
async function encoded(png: Uint8Array) {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-heic-'));
  try {
    const [from, to] = [join(folder, 'picture.png'), join(folder, 'frame.mp4')];
    await Bun.write(from, png);
    const child = Bun.spawn(
      [
        ...['ffmpeg', '-v', 'error', '-i', from, '-c:v', 'libx265', '-pix_fmt', 'yuv420p'],
        ...['-x265-params', 'log-level=none', '-crf', '4', '-tag:v', 'hvc1', to],
      ],
      { stdout: 'ignore', stderr: 'pipe' },
    );
    const trouble = await new Response(child.stderr).text();
    if ((await child.exited) !== 0) throw new Error(`ffmpeg failed:\n${trouble}`);
    const mp4 = await readFile(to);
    return { configuration: boxNamed(mp4, 'hvcC'), sample: boxNamed(mp4, 'mdat').subarray(8) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function boxNamed(file: Buffer, name: string): Buffer {
  const start = file.indexOf(name) - 4;
  return file.subarray(start, start + file.readUInt32BE(start));
}

function box(name: string, ...content: Uint8Array[]): Buffer {
  const bytes = Buffer.concat(content);
  return Buffer.concat([u32(bytes.length + 8), Buffer.from(name), bytes]);
}

/** A box with a version and flags, all of them 0. */
const fullBox = (name: string, ...content: Uint8Array[]) => box(name, u32(0), ...content);

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
