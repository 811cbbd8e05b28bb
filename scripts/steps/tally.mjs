/**
 * How many tests passed, and the names of those that did not.
 * @typedef {{ passed: number, failed: string[], skipped: string[] }} Tally
 */

/** @param {Tally[]} tallies @returns {Tally} */
export function sum(tallies) {
  return {
    passed: tallies.reduce((total, one) => total + one.passed, 0),
    failed: tallies.flatMap((one) => one.failed),
    skipped: tallies.flatMap((one) => one.skipped),
  };
}

/** Returns the last line of a run. @param {Tally} tally */
export function summaryLine({ passed, failed, skipped }) {
  const line = `${passed} passed, ${failed.length} failed`;
  return skipped.length > 0 ? `${line}, ${skipped.length} skipped` : line;
}

/**
 * Returns the tally of a step. A report that is missing or empty, or an exit status that no failed test
 * explains, counts as one more failure.
 * @param {string} step
 * @param {import('./step.mjs').Outcome} outcome
 * @param {Tally | null} report null if the step wrote none
 * @returns {Tally}
 */
export function judge(step, outcome, report) {
  const tally = report ?? { passed: 0, failed: [], skipped: [] };
  const ran = tally.passed + tally.failed.length + tally.skipped.length > 0;
  const blameless = outcome.status !== 0 && tally.failed.length === 0;
  const trouble =
    outcome.fault ||
    (blameless && `exited with status ${outcome.status}`) ||
    (!ran && 'ran no tests');
  return trouble ? { ...tally, failed: [...tally.failed, `${step}: ${trouble}`] } : tally;
}
