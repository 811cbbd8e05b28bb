import { setImmediate } from 'node:timers/promises';
import type { ChecksumAlgorithm } from './algorithms.ts';
import { CHECKSUM_BYTES } from './hasher.ts';

/** The checksums that the ones of parts can be combined to, and their polynomials with the bits reversed. */
const POLYNOMIALS = {
  CRC32: 0xedb88320n,
  CRC32C: 0x82f63b78n,
  CRC64NVME: 0x9a6c9329ac4bc9b5n,
} as const;
type CrcAlgorithm = keyof typeof POLYNOMIALS;

/** Whether the checksum of bytes follows from those of their parts. */
export const isCrc = (algorithm: ChecksumAlgorithm): algorithm is CrcAlgorithm =>
  Object.hasOwn(POLYNOMIALS, algorithm);

/** Sizes of objects are below 2^50 bytes, which are 2^53 bits. */
const MAX_BITS = 53;
/** So many take a few milliseconds, after which other requests have their turn. */
const TURN_PARTS = 64;

/**
 * Multiplies polynomials over GF(2), whose coefficient of x^0 is the highest bit, modulo the one of a checksum. Bytes that
 * follow others multiply the remainder of those by a power of x, so a checksum of both needs no byte of either.
 */
class Field {
  private readonly high: bigint;
  /** x^(2^n) at n. */
  private readonly powers: bigint[];
  private readonly factors = new Map<number, bigint>();

  constructor(
    bytes: number,
    private readonly polynomial: bigint,
  ) {
    this.high = 1n << BigInt(8 * bytes - 1);
    this.powers = [this.high >> 1n];
    while (this.powers.length <= MAX_BITS) {
      const last = this.powers.at(-1) ?? 0n;
      this.powers.push(this.multiply(last, last));
    }
  }

  multiply(a: bigint, b: bigint): bigint {
    let product = 0n;
    let factor = b;
    for (let bit = this.high; bit > 0n; bit >>= 1n) {
      if ((a & bit) !== 0n) product ^= factor;
      factor = (factor & 1n) === 0n ? factor >> 1n : (factor >> 1n) ^ this.polynomial;
    }
    return product;
  }

  /** Returns x^(8 * bytes). Parts mostly have one size. */
  factorOf(bytes: number): bigint {
    const known = this.factors.get(bytes);
    if (known !== undefined) return known;
    let factor = this.high;
    let rest = BigInt(bytes);
    for (let n = 3; rest > 0n; n += 1) {
      if ((rest & 1n) === 1n) factor = this.multiply(this.powers[n] ?? 0n, factor);
      rest >>= 1n;
    }
    this.factors.set(bytes, factor);
    return factor;
  }
}

/**
 * Returns the checksum, in Base64, of bytes in parts.
 * @param parts the size of each in bytes, and its checksum in Base64
 */
export async function combineCrcs(
  algorithm: CrcAlgorithm,
  parts: { size: number; value: string }[],
): Promise<string> {
  const width = CHECKSUM_BYTES[algorithm];
  const field = new Field(width, POLYNOMIALS[algorithm]);
  let crc = 0n;
  for (const [n, { size, value }] of parts.entries()) {
    if (n % TURN_PARTS === TURN_PARTS - 1) await setImmediate();
    const own = BigInt(`0x${Buffer.from(value, 'base64').toString('hex')}`);
    crc = field.multiply(field.factorOf(size), crc) ^ own;
  }
  return Buffer.from(crc.toString(16).padStart(2 * width, '0'), 'hex').toString('base64');
}
