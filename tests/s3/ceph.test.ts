import { beforeAll, describe, expect, test } from 'bun:test';
import { findS3TestPython } from '../../scripts/setup/test-programs.mjs';
import { PART } from './part.ts';
import { type Outcome, Suite } from './suite.ts';
import { startWharf } from './targets.ts';

/*
 * A part of Ceph's tests of S3, with tests of each group of operations. All of them take as long as all other tests:
 * `npm run test:s3` runs them.
 */

const python = findS3TestPython();

describe.skipIf(python === null)("Ceph's test", () => {
  let outcomes: Map<string, Outcome>;
  beforeAll(async () => {
    const target = await startWharf();
    const suite = await Suite.open(python ?? '', target);
    try {
      outcomes = await suite.run(PART);
    } finally {
      await suite.close();
      await target.stop();
    }
    const passed = PART.filter((name) => outcomes.get(name)?.state === 'passed');
    console.log(`Ceph's tests of S3: ${passed.length} of ${PART.length} passed.`);
  });

  for (const name of PART) {
    test(name, () => {
      const { state, trace } = outcomes.get(name) ?? { state: 'not run', trace: '' };
      expect(trace).toBe('');
      expect(state).toBe('passed');
    });
  }
});
