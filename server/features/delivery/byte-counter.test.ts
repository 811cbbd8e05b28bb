import { expect, test } from 'bun:test';
import { KIB, MIB } from '../../contract/limits.ts';
import { countBytes } from './byte-counter.ts';

const LARGE = 9 * MIB + 5;
const bytes = new Uint8Array(LARGE).map((_, index) => index % 251);

function counting() {
  const told: number[] = [];
  return { told, sent: (count: number) => void told.push(count) };
}

const bodies: [string, () => Blob | ReadableStream<Uint8Array>][] = [
  ['a blob', () => new Blob([bytes])],
  ['a part of a blob', () => new Blob([bytes, bytes]).slice(LARGE, 2 * LARGE)],
  ['a stream', () => new Blob([bytes]).stream()],
];

for (const [name, body] of bodies) {
  test(`${name} up to 8 MiB is counted at once and goes out as it is`, () => {
    const { told, sent } = counting();
    const given = body();
    expect(countBytes(given, 8 * MIB, sent)).toBe(given);
    expect(told).toEqual([8 * MIB]);
  });

  test(`${name} that is larger is counted as it leaves, and arrives whole`, async () => {
    const { told, sent } = counting();
    const response = new Response(countBytes(body(), LARGE, sent));
    expect(told).toEqual([]);
    const arrived = await response.bytes();
    expect(Bun.hash(arrived)).toBe(Bun.hash(bytes));
    expect(told.reduce((sum, one) => sum + one, 0)).toBe(LARGE);
    expect(Math.max(...told)).toBeLessThanOrEqual(2 * MIB);
  });

  test(`${name} that nobody takes any more is not counted on`, async () => {
    const { told, sent } = counting();
    const stream = countBytes(body(), LARGE, sent) as ReadableStream<Uint8Array>;
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel();
    const before = [...told];
    await Bun.sleep(20);
    expect(told).toEqual(before);
    expect(before.reduce((sum, one) => sum + one, 0)).toBeLessThan(LARGE);
  });
}

test('an object that is gone in the middle ends in an error, not in a shorter file', async () => {
  const path = `${process.env.TMPDIR ?? '/tmp'}/wharf-counted-${crypto.randomUUID()}`;
  await Bun.write(path, bytes);
  const { told, sent } = counting();
  const file = Bun.file(path).slice(0, LARGE);
  const reader = (countBytes(file, LARGE, sent) as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  await Bun.write(path, 'short');
  const rest = (async () => {
    while (!(await reader.read()).done);
  })();
  await expect(rest).rejects.toThrow();
  expect(told).toEqual([512 * KIB]);
  await Bun.file(path).delete();
});
