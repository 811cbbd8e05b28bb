import { MINUTE } from '../../contract/limits.ts';
import type { Executor } from '../db/port.ts';
import { findFailing } from '../queue/counts-store.ts';
import { MAX_ATTEMPTS } from '../queue/job-runner.ts';

/** How long a mail that was given up says something about the mails of now. */
const RECENT_MS = 15 * MINUTE;
/** So many addresses are not all mistyped: the mail server refuses the sender, or us. */
const MIN_REFUSED = 3;
const MAX_SEARCHED = 20;

/**
 * Returns the error for which mails are not sent at the moment; null where nothing is known to be wrong. A
 * mail server that refuses one mail for good objects to its address, which is not our failure.
 */
export async function findMailFailure(db: Executor, now: number): Promise<string | null> {
  const jobs = await findFailing(db, 'mail', MAX_SEARCHED);
  const retried = jobs.find(({ state }) => state !== 'failed');
  if (retried) return retried.error;
  const recent = jobs.filter(({ finished_at }) => (finished_at ?? 0) > now - RECENT_MS);
  const refused = recent.filter(({ attempts }) => attempts < MAX_ATTEMPTS);
  const unsent = recent.find(({ attempts }) => attempts >= MAX_ATTEMPTS);
  return unsent?.error ?? (refused.length >= MIN_REFUSED ? (refused[0]?.error ?? null) : null);
}
