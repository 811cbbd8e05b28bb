import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sharp } from 'sharp';
import type { Size } from '../../server/contract/media.ts';
import { sharp } from '../image/sharp.ts';
import { picture } from './pictures.ts';

type Tiles = { across: number; down: number };

type Photo = {
  /** Of that size; `picture()` by default. */
  image?: Sharp;
  width?: number;
  height?: number;
  /** The size, around its middle, that a viewer has to cut out of it. */
  crop?: Size;
  /** Quarter turns anticlockwise that a viewer has to make after that. */
  turns?: number;
  /** Whether its colours are those of a profile of Display P3. */
  isWide?: boolean;
  /** The code points that it declares for its primaries and transfer function. */
  codePoints?: [primaries: number, transfer: number];
  /** The size that it declares; that of its pixels by default. */
  declared?: Size;
  /** How many tiles it is made of, as in phones. Without it it is one item. */
  tiles?: Tiles;
  /** How many slices each item is coded in. */
  slices?: number;
  /** Tells which slices, of which item, the file lacks. */
  isMissing?: (slice: number, item: number) => boolean;
};

/** An item of the file: its type, its properties by their numbers from 1, and its bytes. */
type Item = { type: string; properties: number[]; bytes: Buffer };

const GRID_ID = 1;

/**
 * Returns an image as a HEIC file, as ISO/IEC 23008-12 describes it. ffmpeg encodes the pixels, and has no
 * muxer for the format.
 */
export async function heic(photo: Photo = {}): Promise<Buffer> {
  const { width = 64, height = 48, crop, turns, isWide = false } = photo;
  const { tiles, slices = 1, isMissing } = photo;
  const declared = photo.declared ?? { width, height };
  const image = photo.image ?? picture(width, height);
  const png = await (isWide ? image.withIccProfile('p3') : image).png().toBuffer();
  const profile = isWide ? (await sharp(png).metadata()).icc : undefined;
  const { across, down } = tiles ?? { across: 1, down: 1 };
  const even = (side: number) => Math.ceil(side / 2) * 2;
  const tile = { width: even(width / across), height: even(height / down) };
  const frames = await cut(png, tile, { across, down });
  const { configuration, samples } = await encoded(frames, tile, slices);
  const coded = samples.map((sample, item) =>
    withoutSlices(sample, (one) => !isMissing?.(one, item)),
  );
  const properties = [
    fullBox('ispe', u32(declared.width), u32(declared.height)),
    ...(crop ? [box('clap', ...[crop.width, 1, crop.height, 1, 0, 1, 0, 1].map(u32))] : []),
    ...(turns === undefined ? [] : [box('irot', Buffer.from([turns]))]),
    ...(profile ? [box('colr', Buffer.from('prof'), profile)] : []),
    ...(photo.codePoints
      ? [box('colr', Buffer.from('nclx'), ...[...photo.codePoints, 6].map(u16), Buffer.of(0))]
      : []),
  ];
  const ofImage = properties.map((_, at) => at + 1);
  properties.push(configuration, fullBox('ispe', u32(tile.width), u32(tile.height)));
  const [configured, tileSize] = [properties.length - 1, properties.length];
  if (!tiles) {
    const items = coded.map((bytes) => ({
      type: 'hvc1',
      properties: [configured, ...ofImage],
      bytes,
    }));
    return file(properties, items);
  }
  const grid = Buffer.concat([Buffer.from([0, 0, down - 1, across - 1]), u16(width), u16(height)]);
  return file(properties, [
    { type: 'grid', properties: ofImage, bytes: grid },
    ...coded.map((bytes) => ({ type: 'hvc1', properties: [configured, tileSize], bytes })),
  ]);
}

/** Returns a file whose main image is the first item, which is made of all others. */
function file(properties: Buffer[], items: Item[]): Buffer {
  const ftyp = box('ftyp', Buffer.from('heic'), u32(0), Buffer.from('mif1heic'));
  const ids = items.map((_, at) => at + GRID_ID);
  const others = ids.slice(1).map(u16);
  const reference = box('dimg', u16(GRID_ID), u16(others.length), ...others);
  const info = items.map(({ type }, at) =>
    box(
      'infe',
      u32((2 << 24) | (at > 0 ? 1 : 0)),
      u16(ids[at] ?? 0),
      u16(0),
      Buffer.from(`${type}\0`),
    ),
  );
  const associations = items.map(({ properties: numbers }, at) =>
    Buffer.concat([u16(ids[at] ?? 0), Buffer.from([numbers.length, ...numbers])]),
  );
  const metaAt = (start: number) => {
    let offset = start;
    const extents = items.map(({ bytes }, at) => {
      const extent = [u16(ids[at] ?? 0), u16(0), u16(1), u32(offset), u32(bytes.length)];
      offset += bytes.length;
      return Buffer.concat(extent);
    });
    return fullBox(
      'meta',
      fullBox('hdlr', u32(0), Buffer.from('pict'), Buffer.alloc(13)),
      fullBox('pitm', u16(GRID_ID)),
      fullBox('iinf', u16(items.length), ...info),
      ...(others.length > 0 ? [fullBox('iref', reference)] : []),
      box('iprp', box('ipco', ...properties), fullBox('ipma', u32(items.length), ...associations)),
      // Offsets and lengths of four bytes, one extent each.
      fullBox('iloc', Buffer.from([0x44, 0]), u16(items.length), ...extents),
    );
  };
  const start = ftyp.length + metaAt(0).length + 8;
  return Buffer.concat([ftyp, metaAt(start), box('mdat', ...items.map(({ bytes }) => bytes))]);
}

/** Returns the pixels of all tiles, one after the other. Those at the edges repeat their last pixels. */
async function cut(png: Uint8Array, { width, height }: Size, { across, down }: Tiles) {
  const image = await sharp(png).metadata();
  const right = across * width - image.width;
  const bottom = down * height - image.height;
  const whole = await sharp(png)
    .removeAlpha()
    .extend({ right, bottom, extendWith: 'copy' })
    .png()
    .toBuffer();
  const tiles = Array.from({ length: across * down }, (_, at) => {
    const place = { left: (at % across) * width, top: Math.floor(at / across) * height };
    return sharp(whole)
      .extract({ ...place, width, height })
      .raw()
      .toBuffer();
  });
  return Buffer.concat(await Promise.all(tiles));
}

/** Encodes frames of raw pixels. Returns their hvcC box and the bytes of each. */
async function encoded(frames: Uint8Array, { width, height }: Size, slices: number) {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-heic-'));
  try {
    const [from, to] = [join(folder, 'frames'), join(folder, 'frames.mp4')];
    await Bun.write(from, frames);
    const parameters = `log-level=none:keyint=1:slices=${slices}${slices > 1 ? ':ctu=16' : ''}`;
    const child = Bun.spawn(
      [
        ...['ffmpeg', '-v', 'error', '-f', 'rawvideo', '-pix_fmt', 'rgb24'],
        ...['-s', `${width}x${height}`, '-i', from, '-c:v', 'libx265', '-pix_fmt', 'yuv420p'],
        ...['-x265-params', parameters, '-crf', '4', '-tag:v', 'hvc1', to],
      ],
      { stdout: 'ignore', stderr: 'pipe' },
    );
    const trouble = await new Response(child.stderr).text();
    if ((await child.exited) !== 0) throw new Error(`ffmpeg failed:\n${trouble}`);
    const mp4 = await readFile(to);
    return { configuration: boxNamed(mp4, 'hvcC'), samples: samplesOf(mp4) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns the frames of an MP4 with one track, which are all that its mdat box contains. */
function samplesOf(mp4: Buffer): Buffer[] {
  const sizes = boxNamed(mp4, 'stsz').subarray(12);
  const [same, count] = [sizes.readUInt32BE(0), sizes.readUInt32BE(4)];
  let at = mp4.indexOf('mdat') + 4;
  return Array.from({ length: count }, (_, index) => {
    const start = at;
    at += same || sizes.readUInt32BE(8 + index * 4);
    return mp4.subarray(start, at);
  });
}

const FIRST_NON_SLICE_TYPE = 32;

/** Returns a frame with only some of its slices, which are NAL units (ITU-T H.265, 7.3.1) behind their lengths. */
function withoutSlices(sample: Buffer, isKept: (slice: number) => boolean): Buffer {
  const kept: Buffer[] = [];
  let slice = 0;
  for (let at = 0; at < sample.length; ) {
    const end = at + 4 + sample.readUInt32BE(at);
    const type = (sample.readUInt8(at + 4) >> 1) & 63;
    if (type >= FIRST_NON_SLICE_TYPE || isKept(slice++)) kept.push(sample.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
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
