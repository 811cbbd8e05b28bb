import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, deflateRawSync } from 'node:zlib';

const deflate = promisify(deflateRaw);

/** The header of a gzip file of unknown time and system (RFC 1952, 2.3). */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** Ends compressed data at a whole byte, so that more blocks can follow. */
const UNFINISHED = { finishFlush: constants.Z_SYNC_FLUSH };

/** Bytes that are sent within many responses, and so are compressed once. */
export type CompressedPart = { bytes: Buffer; deflated: Buffer; hash: string };

export async function compressPart(text: string): Promise<CompressedPart> {
  const bytes = Buffer.from(text);
  const level = constants.Z_BEST_COMPRESSION;
  return {
    bytes,
    deflated: await deflate(bytes, { ...UNFINISHED, level }),
    hash: Bun.SHA256.hash(bytes, 'base64url'),
  };
}

/**
 * Returns the gzip of `before`, the part and `after`, one after the other. Blocks of DEFLATE that don't
 * refer to each other can be joined, so only the short texts around the part are compressed here.
 */
export function gzipAround(
  before: string,
  part: CompressedPart,
  after: string,
): Buffer<ArrayBuffer> {
  const [first, last] = [Buffer.from(before), Buffer.from(after)];
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(last, crc32(part.bytes, crc32(first))), 0);
  trailer.writeUInt32LE((first.length + part.bytes.length + last.length) % 2 ** 32, 4);
  return Buffer.concat([
    HEADER,
    deflateRawSync(first, UNFINISHED),
    part.deflated,
    deflateRawSync(last),
    trailer,
  ]);
}
