import { type Actor, type AuditEntry, record } from '../../platform/audit/record.ts';
import type { Executor } from '../../platform/db/port.ts';

/**
 * The messages of the audit log. None names an address: the row stays when the account is deleted.
 */
const MESSAGES = {
  'signed-up': 'Account created.',
  'logged-in': 'Logged in.',
  'trusted-browser': 'Browser trusted: it needs no code to log in.',
  'untrusted-browser': 'Trust in a browser removed.',
  'logged-out': 'Logged out.',
  'ended-session': 'Session ended from another session.',
  'ended-other-sessions': 'All other sessions of the account ended.',
  recovered: 'Account recovered.',
  'wrong-password': 'Incorrect password entered.',
  'wrong-code': 'Incorrect or expired code entered.',
  locked: 'Too many incorrect passwords or codes; login is blocked for a while.',
  'changed-password': 'Password changed.',
  'reset-password': 'Password reset by an operator; all sessions ended.',
  'changed-email': 'Email address changed.',
  'undid-email-change': 'Email address change undone.',
  banned: 'Account banned.',
  unbanned: 'Account unbanned.',
  'changed-storage-limit': 'Storage limit changed.',
  deleted: 'Account deletion started.',
  wiped: 'Account and all its data deleted.',
};

/** Records an action on an account in the audit log, in the transaction of the action. */
export const recordAudit = (
  tx: Executor,
  at: number,
  action: keyof typeof MESSAGES,
  userId: string | null,
  actor: Actor = userId === null ? 'system' : { userId },
  details: AuditEntry['details'] = {},
): Promise<void> =>
  record(tx, at, {
    section: 'users',
    action: `user.${action}`,
    message: MESSAGES[action],
    actor,
    subject: userId,
    details,
  });
