import { expect, test } from 'bun:test';
import { isTorture, rounds } from '../support/fixtures/torture.ts';
import { simulate } from './simulation.ts';

const STEPS = rounds(4000, 500);
/** A multiple of the number of profiles. */
const RUNS = rounds(28, 4);
/** The same each time in `npm test`, and others in each torture. SEED repeats a run that has failed. */
const FIRST = Number(process.env.SEED ?? (isTorture ? Date.now() % 1_000_000 : 4));
const SEEDS = Array.from({ length: process.env.SEED ? 1 : RUNS }, (_, run) => FIRST + run);
const fingerprints = new Map<number, string>();

test.each(SEEDS)(
  'three processes keep every promise while calls fail and processes die (SEED=%d)',
  async (seed) => {
    const { violation, history, fingerprint } = await simulate(seed, STEPS);
    if (violation) console.error(`SEED=${seed}, the last steps:\n${history.join('\n')}`);
    expect(violation).toBeNull();
    fingerprints.set(seed, fingerprint);
  },
);

test('a seed determines everything that happens, also after other runs', async () => {
  const { fingerprint } = await simulate(FIRST, STEPS);
  expect(fingerprints.get(FIRST)).toBe(fingerprint);
});
