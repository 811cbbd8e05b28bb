import { SESSION_IDLE_TTL_MS } from '../../../contract/limits.ts';
import type { SessionRow } from '../tables.ts';

/** How many logins the history of an account shows. */
export const MAX_LOGINS = 20;

/**
 * Returns a session as the history of logins shows it. The history is read from the sessions rather than from the audit
 * log, because an entry of the log outlives its account and therefore holds no address.
 * @param now epoch milliseconds
 */
export function toLogin(row: SessionRow, currentSessionId: string, now: number) {
  const isOpen =
    row.revoked_at === null && row.expires_at > now && row.last_seen_at > now - SESSION_IDLE_TTL_MS;
  return {
    id: row.id,
    method: row.method,
    device: row.device,
    address: row.address,
    country: row.country,
    date: new Date(row.created_at).toISOString(),
    active: isOpen,
    current: row.id === currentSessionId,
  };
}
