import { expect, test } from 'bun:test';
import { combineCrcs } from './crc-combine.ts';
import { createHasher } from './hasher.ts';

const ALGORITHMS = ['CRC32', 'CRC32C', 'CRC64NVME'] as const;

async function checksumOf(algorithm: (typeof ALGORITHMS)[number], bytes: Uint8Array) {
  const hasher = await createHasher(algorithm);
  hasher.update(bytes);
  return (await hasher.digest()).toString('base64');
}

test('the checksums of parts make the one of all bytes', async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(60_000));
  for (const algorithm of ALGORITHMS) {
    for (const sizes of [[60_000], [1, 59_999], [20_000, 20_000, 20_000], [0, 59_000, 0, 1000]]) {
      let at = 0;
      const parts = [];
      for (const size of sizes) {
        parts.push({ size, value: await checksumOf(algorithm, bytes.subarray(at, at + size)) });
        at += size;
      }
      expect([algorithm, sizes, await combineCrcs(algorithm, parts)]).toEqual([
        algorithm,
        sizes,
        await checksumOf(algorithm, bytes),
      ]);
    }
  }
});
