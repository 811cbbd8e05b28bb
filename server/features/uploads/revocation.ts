import { SECOND } from '../../contract/limits.ts';
import { AppError, isUnavailable } from '../../errors.ts';
import type { Caller } from '../tokens/guard.ts';

/** A request of hours must end soon after its key was replaced, its account banned or its bucket deleted. */
const RECHECK_INTERVAL_MS = 4 * SECOND;

/**
 * Does work that receives bytes for as long as a client sends them. Its signal aborts, with the error to
 * respond with, once the caller has lost the right to send them.
 */
export async function untilRevoked<Result>(
  { recheck }: Pick<Caller, 'recheck'>,
  work: (revoked: AbortSignal) => Promise<Result>,
  intervalMs: number = RECHECK_INTERVAL_MS,
): Promise<Result> {
  const revocation = new AbortController();
  const check = () =>
    recheck().catch((error) => {
      // An outage says nothing about the caller.
      if (error instanceof AppError && !isUnavailable(error)) revocation.abort(error);
    });
  const timer = setInterval(check, intervalMs);
  try {
    return await work(revocation.signal);
  } finally {
    clearInterval(timer);
  }
}
