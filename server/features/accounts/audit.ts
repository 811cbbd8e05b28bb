import { type Actor, record } from '../../platform/audit/record.ts';
import type { Executor } from '../../platform/db/port.ts';

/** The messages of the audit log. None names an address: the row stays when the account is deleted. */
const MESSAGES = {
  'signed-up': 'An account was made.',
  'logged-in': 'Logged in.',
  'logged-out': 'Logged out.',
  'ended-session': 'A session was ended from another one.',
  'ended-other-sessions': 'All other sessions of an account were ended.',
  recovered: 'An account was recovered.',
  locked: 'Too many wrong passwords or codes for an account; more are refused for a while.',
  'changed-password': 'The password of an account was changed.',
  'reset-password': 'An operator gave an account a new password; its sessions ended.',
  'changed-email': 'The address of an account was changed.',
  'undid-email-change': 'A change of address was undone.',
  banned: 'An account was banned.',
  unbanned: 'An account is banned no more.',
  deleted: 'An account is being deleted.',
  wiped: 'An account is gone, with all that it owned.',
};

/** Records an action on an account in the audit log, in the transaction of the action. */
export const recordAudit = (
  tx: Executor,
  at: number,
  action: keyof typeof MESSAGES,
  userId: string | null,
  actor: Actor = userId === null ? 'system' : { userId },
): Promise<void> =>
  record(tx, at, {
    section: 'users',
    action: `user.${action}`,
    message: MESSAGES[action],
    actor,
    subject: userId,
  });
