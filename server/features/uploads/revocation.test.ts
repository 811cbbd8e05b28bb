import { expect, test } from 'bun:test';
import { unauthorized, upstreamUnavailable } from '../../errors.ts';
import { untilRevoked } from './revocation.ts';

test('the work of a caller is ended once the right is known to be lost', async () => {
  const revoked = unauthorized();
  const outcomes = [
    null,
    upstreamUnavailable(null, 'The database is away.', 0),
    new Error('unexpected'),
    revoked,
  ];
  let checks = 0;
  const recheck = async () => {
    const outcome = outcomes[checks];
    checks += 1;
    if (outcome) throw outcome;
  };
  const reason = await untilRevoked(
    { recheck },
    (signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(signal.reason));
      }),
    1,
  );
  expect(reason).toBe(revoked);
  expect(checks).toBe(outcomes.length);
});
