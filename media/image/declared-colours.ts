import { rm } from 'node:fs/promises';
import { crc32, deflateSync } from 'node:zlib';
import { IMAGE_MAX_PIXELS } from '../../server/contract/limits.ts';
import { writePieces } from '../strip-metadata/piece-writer.ts';
import { openRandomAccess, type RandomAccess } from '../strip-metadata/random-access.ts';
import { decoded } from './decoded.ts';
import type { ImageInfo } from './image-info.ts';
import { profileOfCodePoints, profileOfGamma, profileOfNclx } from './profiles/cicp.ts';
import type { Primaries } from './profiles/icc-profile.ts';
import { sharp } from './sharp.ts';

/** Where a PNG has its pixels at the latest, and an AVIF the properties of its items. */
const HEAD_BYTES = 64 * 1024;
const PNG_HEAD_BYTES = 33;
/** The chunks that precede a PNG's pixels are few. */
const MAX_CHUNKS = 100;

/**
 * Calls `use` with an image whose colours sharp understands. Its library knows ICC profiles only, so where a PNG
 * or an AVIF declares its colours by code points or numbers, it gets a copy with a profile. Throws MediaFailure,
 * and what `use` throws.
 */
export async function withDeclaredColours<Result>(
  path: string,
  info: ImageInfo,
  use: (info: ImageInfo) => Promise<Result>,
): Promise<Result> {
  const profile = declaredProfile(path, info);
  if (!profile) return use(info);
  const plain = `${path}-plain`;
  const profiled = `${path}-profiled`;
  try {
    const options = {
      failOn: 'error',
      limitInputPixels: IMAGE_MAX_PIXELS,
      ignoreIcc: true,
    } as const;
    const image = sharp(path, { ...options, sequentialRead: true }).autoOrient();
    // sharp keeps 16 bits of a channel only where it is told to.
    if (info.isDeep) image.toColourspace('rgb16');
    await decoded(image.png({ compressionLevel: 1 }).toFile(plain));
    const end = Bun.file(plain).size;
    const head = { start: 0, end: PNG_HEAD_BYTES };
    const pieces = [head, { bytes: profileChunk(profile) }, { start: PNG_HEAD_BYTES, end }];
    writePieces(plain, profiled, pieces);
    await rm(plain);
    return await use({ ...info, input: profiled });
  } finally {
    await Promise.all([plain, profiled].map((file) => rm(file, { force: true })));
  }
}

function declaredProfile(path: string, { format, hasProfile }: ImageInfo): Buffer | null {
  if (format !== 'png' && format !== 'avif') return null;
  const file = openRandomAccess(path);
  try {
    return format === 'png' ? profileOfPng(file, hasProfile) : profileOfAvif(file, hasProfile);
  } finally {
    file.close();
  }
}

/** W3C PNG, third edition, 4.3: cICP precedes iCCP, that sRGB, and that gAMA and cHRM. */
function profileOfPng(file: RandomAccess, hasProfile: boolean): Buffer | null {
  let gamma: number | null = null;
  let primaries: Primaries | null = null;
  let isSrgb = hasProfile;
  for (let position = 8, count = 0; count < MAX_CHUNKS; count += 1) {
    const chunk = file.peek(position, 44);
    if (chunk.length < 12) return null;
    const type = chunk.toString('latin1', 4, 8);
    if (type === 'IDAT') break;
    const length = chunk.readUInt32BE(0);
    if (type === 'cICP' && length === 4) return profileOfCodePoints(chunk[8] ?? 0, chunk[9] ?? 0);
    if (type === 'sRGB') isSrgb = true;
    if (type === 'gAMA' && length === 4) gamma = chunk.readUInt32BE(8) / 100_000;
    if (type === 'cHRM' && length === 32 && chunk.length >= 40) primaries = chromaticities(chunk);
    position += 12 + length;
  }
  const isUsable = gamma === null || (gamma > 0.1 && gamma < 10);
  return isSrgb || !isUsable ? null : profileOfGamma(gamma, primaries);
}

/** Returns null for what is no triangle of colours. */
function chromaticities(chunk: Buffer): Primaries | null {
  const point = (at: number): [number, number] => [
    chunk.readUInt32BE(8 + at * 8) / 100_000,
    chunk.readUInt32BE(12 + at * 8) / 100_000,
  ];
  const [white, red, green, blue] = [point(0), point(1), point(2), point(3)];
  const isColour = [white, red, green, blue].every(([x, y]) => x < 1 && y > 0 && x + y <= 1.001);
  const area =
    (red[0] - blue[0]) * (green[1] - blue[1]) - (green[0] - blue[0]) * (red[1] - blue[1]);
  return isColour && Math.abs(area) > 0.001 ? { red, green, blue, white } : null;
}

/** ISO/IEC 14496-12, 12.1.5. An ICC profile precedes the code points. */
function profileOfAvif(file: RandomAccess, hasProfile: boolean): Buffer | null {
  const head = file.peek(0, HEAD_BYTES);
  const start = head.indexOf('colrnclx', 0, 'latin1') + 8;
  if (hasProfile || start < 8 || start + 4 > head.length) return null;
  return profileOfNclx(head.readUInt16BE(start), head.readUInt16BE(start + 2));
}

function profileChunk(profile: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from('iCCPdeclared\0\0', 'latin1'), deflateSync(profile)]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(body.length - 4);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}
