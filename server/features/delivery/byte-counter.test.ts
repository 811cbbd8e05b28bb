import { expect, test } from 'bun:test';
import { KIB, MIB } from '../../contract/limits.ts';
import { countBytes, MAX_WHOLE_BYTES } from './byte-counter.ts';

const LARGE = 9 * MIB + 5;
const bytes = new Uint8Array(LARGE).map((_, index) => index % 251);

function counting() {
  const counts: number[] = [];
  return { counts, countSent: (count: number) => void counts.push(count) };
}

const bodies: [string, () => Blob | ReadableStream<Uint8Array>][] = [
  ['a blob', () => new Blob([bytes])],
  ['a part of a blob', () => new Blob([bytes, bytes]).slice(LARGE, 2 * LARGE)],
  ['a stream', () => new Blob([bytes]).stream()],
];

for (const [name, body] of bodies) {
  test(`${name} up to 1 MiB is counted at once and goes out as it is`, () => {
    const { counts, countSent } = counting();
    const source = body();
    expect(countBytes(source, MAX_WHOLE_BYTES, countSent)).toBe(source);
    expect(counts).toEqual([MIB]);
  });

  test(`${name} that is larger is counted as it leaves, and arrives whole`, async () => {
    const { counts, countSent } = counting();
    const response = new Response(countBytes(body(), LARGE, countSent));
    expect(counts).toEqual([]);
    const arrived = await response.bytes();
    expect(Bun.hash(arrived)).toBe(Bun.hash(bytes));
    expect(counts.reduce((sum, one) => sum + one, 0)).toBe(LARGE);
    expect(Math.max(...counts)).toBeLessThanOrEqual(2 * MIB);
  });

  test(`${name} that nobody takes any more is not counted on`, async () => {
    const { counts, countSent } = counting();
    const stream = countBytes(body(), LARGE, countSent) as ReadableStream<Uint8Array>;
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel();
    const before = [...counts];
    await Bun.sleep(20);
    expect(counts).toEqual(before);
    expect(before.reduce((sum, one) => sum + one, 0)).toBeLessThan(LARGE);
  });
}

test('pieces of a blob are small at first', async () => {
  const { counts, countSent } = counting();
  await new Response(countBytes(new Blob([bytes]), LARGE, countSent)).bytes();
  expect(counts.slice(0, 5).map((count) => count / KIB)).toEqual([64, 128, 256, 512, 512]);
});

test('an object that is gone in the middle ends in an error, not in a shorter file', async () => {
  const path = `${process.env.TMPDIR ?? '/tmp'}/wharf-counted-${crypto.randomUUID()}`;
  await Bun.write(path, bytes);
  const { counts, countSent } = counting();
  const file = Bun.file(path).slice(0, LARGE);
  const reader = (countBytes(file, LARGE, countSent) as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  await Bun.write(path, 'short');
  const rest = (async () => {
    while (!(await reader.read()).done);
  })();
  await expect(rest).rejects.toThrow();
  expect(counts).toEqual([64 * KIB]);
  await Bun.file(path).delete();
});
