import { expect, test } from 'bun:test';
import { unauthorized, upstreamUnavailable } from '../../errors.ts';
import { whileReceiving } from './receiving.ts';

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
  const reason = await whileReceiving(
    { recheck, keepConnected: () => {} },
    ({ ended }) =>
      new Promise((resolve) => {
        ended.addEventListener('abort', () => resolve(ended.reason));
      }),
    { intervalMs: 1 },
  );
  expect(reason).toBe(revoked);
  expect(checks).toBe(outcomes.length);
});

test('a client stays connected as long as its bytes arrive, however slowly', async () => {
  const arrivals = [true, false, false, true, false, true];
  const kept: boolean[] = [];
  const over = Promise.withResolvers<void>();
  let isKept = false;
  let arrive = () => {};
  const next = () => {
    isKept = false;
    if (kept.length === arrivals.length) over.resolve();
    else if (arrivals[kept.length]) arrive();
  };
  const recheck = async () => {
    kept.push(isKept);
    next();
  };
  const keepConnected = () => {
    isKept = true;
  };
  await whileReceiving(
    { recheck, keepConnected },
    ({ onBytes }) => {
      arrive = onBytes;
      next();
      return over.promise;
    },
    { intervalMs: 1 },
  );
  expect(kept).toEqual(arrivals);
});
