import type { Arch } from './modules.ts';

/** `e_machine` of an ELF header, as the gABI numbers it. */
const MACHINES: Record<number, Arch> = { 62: 'x64', 183: 'arm64' };
/** The magic number, then: 64 bits, little-endian, version 1. */
const MAGIC = Buffer.from('\x7fELF\x02\x01\x01', 'latin1');
const HEADER_BYTES = 64;

export type ElfImage = {
  /** Null where it is neither of the two kinds that Wharf is built for. */
  machine: Arch | null;
  /** All of it, up to the end of its section headers, which linkers write last. */
  bytes: Uint8Array;
};

/**
 * The programs and libraries for 64-bit Linux that begin at any place in `bytes`. A library is one of
 * them; the built file is one that holds each of its libraries as another.
 */
export function elfImages(bytes: Uint8Array): ElfImage[] {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found: ElfImage[] = [];
  for (let at = all.indexOf(MAGIC); at >= 0; at = all.indexOf(MAGIC, at + 1)) {
    const image = elfImageAt(all.subarray(at));
    if (image) found.push(image);
  }
  return found;
}

/** Null where only the magic number stands, as in a program that writes such files. */
function elfImageAt(bytes: Buffer): ElfImage | null {
  if (bytes.length < HEADER_BYTES || bytes.readUInt16LE(52) !== HEADER_BYTES) return null;
  const sectionHeaders = Number(bytes.readBigUInt64LE(40));
  const end = sectionHeaders + bytes.readUInt16LE(58) * bytes.readUInt16LE(60);
  if (end > bytes.length) return null;
  return { machine: MACHINES[bytes.readUInt16LE(18)] ?? null, bytes: bytes.subarray(0, end) };
}
