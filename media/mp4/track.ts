import { permanentFailure } from '../media-failure.ts';
import { openRandomAccess, type RandomAccess } from '../strip-metadata/random-access.ts';

/** A part of a track that begins with a key frame. Positions are bytes of the file. */
export type Fragment = {
  start: number;
  end: number;
  /** The end of its first picture; everything before it is enough to show that picture. */
  firstSampleEnd: number;
  /** In seconds. */
  duration: number;
};

type Track = {
  /** The length in bytes of the initialization section at the start of the file. */
  initEnd: number;
  fragments: Fragment[];
};

/** The flags of ISO/IEC 14496-12, 8.8.7 and 8.8.8, which tell what optional fields are there. */
const TFHD = { description: 0x02, duration: 0x08, size: 0x10, baseOffset: 0x01 };
const TRUN = {
  offset: 0x01,
  firstFlags: 0x04,
  duration: 0x100,
  size: 0x200,
  flags: 0x400,
  cts: 0x800,
};

/**
 * Reads a fragmented MP4 of one track as our ffmpeg writes it. It has no fragments where nothing could be
 * decoded. Throws a permanent MediaFailure where its boxes are broken.
 */
export function readTrack(path: string): Track {
  const file = openRandomAccess(path);
  try {
    const all = { body: 0, end: file.size };
    const boxes = [...readBoxes(file, all.body, all.end)];
    const first = boxes.find(({ type }) => type === 'moof');
    if (!first) return { initEnd: file.size, fragments: [] };
    const scale = timescale(file, findBox(file, all, 'moov/trak/mdia/mdhd'));
    const fragments = boxes.flatMap((box, at) => {
      const data = boxes[at + 1];
      return box.type === 'moof' && data?.type === 'mdat' ? [fragment(file, box, data, scale)] : [];
    });
    return { initEnd: first.start, fragments };
  } finally {
    file.close();
  }
}

/** Returns the seconds that a track of `readTrack` lasts; 0 where there is none. */
export function trackSeconds(path: string): number {
  if (Bun.file(path).size === 0) return 0;
  return readTrack(path).fragments.reduce((sum, { duration }) => sum + duration, 0);
}

function timescale(file: RandomAccess, mdhd: Box): number {
  const isLong = readBytes(file, mdhd.body, 1).readUInt8(0) === 1;
  return readBytes(file, mdhd.body + (isLong ? 20 : 12), 4).readUInt32BE(0);
}

function fragment(file: RandomAccess, moof: Box, mdat: Box, scale: number): Fragment {
  const defaults = readDefaults(file, findBox(file, moof, 'traf/tfhd'));
  const samples = readRun(file, findBox(file, moof, 'traf/trun'), defaults);
  return {
    start: moof.start,
    end: mdat.end,
    firstSampleEnd: mdat.body + samples.firstSize,
    duration: samples.ticks / scale,
  };
}

type Defaults = { duration: number; size: number };

function readDefaults(file: RandomAccess, { body, end }: Box): Defaults {
  const bytes = readBytes(file, body, end - body);
  const flags = bytes.readUInt32BE(0) & 0xffffff;
  let at = 8 + (flags & TFHD.baseOffset ? 8 : 0) + (flags & TFHD.description ? 4 : 0);
  const next = (bit: number) => {
    if ((flags & bit) === 0) return 0;
    at += 4;
    return bytes.readUInt32BE(at - 4);
  };
  return { duration: next(TFHD.duration), size: next(TFHD.size) };
}

function readRun(file: RandomAccess, { body, end }: Box, defaults: Defaults) {
  const head = readBytes(file, body, 8);
  const flags = head.readUInt32BE(0) & 0xffffff;
  const count = head.readUInt32BE(4);
  const has = (bit: number) => (flags & bit) !== 0;
  const start = body + 8 + (has(TRUN.offset) ? 4 : 0) + (has(TRUN.firstFlags) ? 4 : 0);
  const fields = [TRUN.duration, TRUN.size, TRUN.flags, TRUN.cts].filter(has);
  const sizeAt = has(TRUN.duration) ? 4 : 0;
  // Where its samples differ in nothing, as one sample always does, a run lists none of them.
  if (fields.length === 0) return { ticks: count * defaults.duration, firstSize: defaults.size };
  let ticks = 0;
  let firstSize = defaults.size;
  for (let sample = 0; sample < count && start < end; sample += 1) {
    const at = start + sample * fields.length * 4;
    ticks += has(TRUN.duration) ? readBytes(file, at, 4).readUInt32BE(0) : defaults.duration;
    if (sample === 0 && has(TRUN.size)) firstSize = readBytes(file, at + sizeAt, 4).readUInt32BE(0);
  }
  return { ticks, firstSize };
}

/** A box of ISO/IEC 14496-12. Its payload is between `body` and `end`. */
type Box = { type: string; start: number; body: number; end: number };

const encodingFailure = () => permanentFailure('The video could not be encoded.');

/** Yields the boxes between two positions of a file. Throws a permanent MediaFailure where one is broken. */
function* readBoxes(file: RandomAccess, from: number, to: number): Iterable<Box> {
  for (let start = from; start + 8 <= to; ) {
    const head = readBytes(file, start, 8);
    let length = head.readUInt32BE(0);
    let body = start + 8;
    if (length === 1) {
      length = Number(readBytes(file, start + 8, 8).readBigUInt64BE(0));
      body += 8;
    }
    const end = start + length;
    if (end < body || end > to) throw encodingFailure();
    yield { type: head.toString('latin1', 4, 8), start, body, end };
    start = end;
  }
}

/** Returns the first box at a path of types, which starts between two positions of the file. */
function findBox(file: RandomAccess, within: Pick<Box, 'body' | 'end'>, path: string): Box {
  let parent: Pick<Box, 'body' | 'end'> & Partial<Box> = within;
  for (const type of path.split('/')) {
    const next = [...readBoxes(file, parent.body, parent.end)].find((box) => box.type === type);
    if (!next) throw encodingFailure();
    parent = next;
  }
  return parent as Box;
}

/** Reads exactly `length` bytes, at most 64 KiB. */
function readBytes(file: RandomAccess, start: number, length: number): Buffer {
  const bytes = file.read(start, length);
  if (bytes.length !== length) throw encodingFailure();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
