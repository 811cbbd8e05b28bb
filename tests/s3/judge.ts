import { type LeftOut, leftOutGroups, withoutParameters } from './left-out.ts';
import type { Outcome } from './suite.ts';

export type Verdict = {
  /** How many tests passed, also of those that are left out. */
  passed: number;
  /** How many of those that ran are not left out. */
  expected: number;
  /** Tests that are not left out and did not pass. */
  unexpected: { test: string; trace: string }[];
  /** Tests that are left out, but pass. */
  recovered: { test: string; reason: string }[];
  /** Names on the list that the suite doesn't have. */
  unknown: string[];
  /** Whether the list of tests that are left out is true. */
  isTrue: boolean;
};

/** Compares what came of tests with the list of those that are left out. */
export function judge(run: {
  all: readonly string[];
  chosen: readonly string[];
  leftOut: readonly LeftOut[];
  outcomes: ReadonlyMap<string, Outcome>;
}): Verdict {
  const groupOf = leftOutGroups(run.leftOut);
  const hasPassed = (test: string) => run.outcomes.get(test)?.state === 'passed';
  const expected = run.chosen.filter((test) => !groupOf(test));
  const unexpected = expected
    .filter((test) => !hasPassed(test))
    .map((test) => ({ test, trace: run.outcomes.get(test)?.trace ?? 'It did not run.' }));
  const recovered = run.chosen.filter(hasPassed).flatMap((test) => {
    const group = groupOf(test);
    return group && !group.dependsOnClient ? [{ test, reason: group.reason }] : [];
  });
  const known = new Set([...run.all, ...run.all.map(withoutParameters)]);
  const unknown = run.leftOut.flatMap(({ tests }) => tests.filter((test) => !known.has(test)));
  return {
    passed: run.chosen.filter(hasPassed).length,
    expected: expected.length,
    ...{ unexpected, recovered, unknown },
    isTrue: unexpected.length + recovered.length + unknown.length === 0,
  };
}
