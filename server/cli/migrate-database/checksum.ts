const BITS = 128n;
const HEX_DIGITS = 32;

/** How many rows a table has and a sum over them that tells whether any value differs, in whatever order they come. */
export type Checksum = { rows: number; sum: string };

/** Takes rows of either engine: numbers and bigints of one value count as the same. */
export function createChecksum() {
  let rows = 0;
  let sum = 0n;
  return {
    add(row: Record<string, unknown>): void {
      const text = JSON.stringify(
        Object.keys(row)
          .sort()
          .map((column) => [column, canonical(row[column])]),
      );
      const hash = new Bun.CryptoHasher('sha256').update(text).digest('hex');
      sum = BigInt.asUintN(Number(BITS), sum + BigInt(`0x${hash.slice(0, HEX_DIGITS)}`));
      rows += 1;
    },
    result: (): Checksum => ({ rows, sum: sum.toString(16).padStart(HEX_DIGITS, '0') }),
  };
}

function canonical(value: unknown): [string, string] | null {
  if (value === null) return null;
  if (typeof value === 'string') return ['text', value];
  if (typeof value === 'number' || typeof value === 'bigint') return ['number', String(value)];
  throw new TypeError(`a column holds a ${typeof value}, which is not copied`);
}
