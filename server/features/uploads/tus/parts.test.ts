import { expect, test } from 'bun:test';
import { GIB, MIB } from '../../../contract/limits.ts';
import { requirePartSize } from './parts.ts';

test.each([
  ['the first thousand parts can be small', 999, 999, true],
  ['more can’t, with few bytes', 1001, MIB, false],
  ['more can, where there are 4 MiB for each', 1400, 2 * GIB, true],
  ['not even a large file has any number of them', 14_000, 50 * GIB, false],
])('%s', (_, parts, received, isAccepted) => {
  const check = () => requirePartSize({ parts, received });
  if (isAccepted) expect(check).not.toThrow();
  else expect(check).toThrow('at least 4 MiB');
});
