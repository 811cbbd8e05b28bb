import { expect, test } from 'bun:test';
import { inLanes } from './lanes.mjs';

/** Steps that end when they are told to, and what has happened to them. */
function stepsOf(...names: string[]) {
  const happened: string[] = [];
  const ends = new Map<string, () => void>();
  const steps = Object.fromEntries(
    names.map((name) => [
      name,
      () => {
        happened.push(name);
        return new Promise<string>((resolve) => ends.set(name, () => resolve(`${name} done`)));
      },
    ]),
  );
  const end = async (name: string) => {
    ends.get(name)?.();
    await Bun.sleep(1);
  };
  return { happened, steps, end };
}

test('so many steps run at once and no more; the next begins when one ends, results keep the order', async () => {
  const { happened, steps, end } = stepsOf('a', 'b', 'c');
  const results = inLanes(steps, { lanes: 2, say() {} });
  expect(happened).toEqual(['a', 'b']);
  await end('b');
  expect(happened).toEqual(['a', 'b', 'c']);
  await end('c');
  await end('a');
  expect(await results).toEqual(['a done', 'b done', 'c done']);
});

test('in one lane a step begins when the one before it has ended', async () => {
  const { happened, steps, end } = stepsOf('a', 'b');
  const results = inLanes(steps, { lanes: 1, say() {} });
  await Bun.sleep(1);
  expect(happened).toEqual(['a']);
  await end('a');
  expect(happened).toEqual(['a', 'b']);
  await end('b');
  expect(await results).toHaveLength(2);
});

test('it is told when a step begins and ends, and between what is at work', async () => {
  const { steps, end } = stepsOf('of a', 'of b');
  const lines: string[] = [];
  const say = (line: string) => lines.push(line);
  const all = inLanes(steps, { lanes: 2, say, wordEvery: 20 });
  await Bun.sleep(50);
  await end('of a');
  await end('of b');
  await all;
  const told = lines.length;
  expect(lines.slice(0, 3)).toEqual([
    'begun: tests of a',
    'begun: tests of b',
    'at work: tests of a, of b',
  ]);
  expect(lines.filter((line) => line.startsWith('ended'))).toEqual([
    expect.stringMatching(/^ended: tests of a \(\d+ s\)$/),
    expect.stringMatching(/^ended: tests of b \(\d+ s\)$/),
  ]);
  await Bun.sleep(50);
  expect(lines).toHaveLength(told);
});

test('a step that breaks the run is not passed over', async () => {
  const steps = { a: async () => 1, b: () => Promise.reject(new Error('no disk')) };
  expect(inLanes(steps, { lanes: 2, say() {} })).rejects.toThrow('no disk');
});
