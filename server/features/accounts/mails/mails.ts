import { layOut } from '../../../platform/mail/mail-layout.tsx';
import type { LaidOutMail } from '../../../platform/mail/port.ts';
import type { ChallengePurpose } from '../tables.ts';

/** What each code is for, and what to do if somebody else requested it. */
const PURPOSES: Record<ChallengePurpose, { to: string; otherwise: string }> = {
  signup: {
    to: 'verify your email address',
    otherwise: "If you didn't sign up, you can ignore this email.",
  },
  login: {
    to: 'log in',
    otherwise: "If this wasn't you, change your password now.",
  },
  recovery: {
    to: 'set a new password',
    otherwise:
      "If you didn't request this, you can ignore this email. Your password stays the same.",
  },
  'change-email': {
    to: 'confirm your new email address',
    otherwise: "If you didn't request this, you can ignore this email. Nothing changes.",
  },
  'change-password': {
    to: 'change your password',
    otherwise: "If this wasn't you, log in and end any sessions you don't recognise.",
  },
  'delete-account': {
    to: 'delete your account and all its files',
    otherwise: "If this wasn't you, log in, change your password and end all other sessions.",
  },
  'delete-bucket': {
    to: 'delete a bucket and all its files',
    otherwise: "If this wasn't you, log in, change your password and end all other sessions.",
  },
};

/**
 * Returns the mail with a code. The code comes first in the subject, where a phone shows it.
 * @param bucketName of the bucket that the code deletes
 */
export function codeMail(
  to: string,
  code: number,
  purpose: ChallengePurpose,
  bucketName?: string,
): LaidOutMail {
  const { to: purposeText, otherwise } = PURPOSES[purpose];
  const action = bucketName ? `delete the bucket “${bucketName}” and all its files` : purposeText;
  return layOut({
    to,
    subject: `${code} is your Wharf code`,
    lead: `Use this code to ${action}:`,
    code,
    rest: `It expires in 10 minutes. ${otherwise}`,
  });
}

/**
 * Returns the mail to the owner of an address that somebody signs up with, or moves an account to.
 */
export function addressTakenMail(to: string, appUrl: string): LaidOutMail {
  return layOut({
    to,
    subject: 'You already have a Wharf account',
    lead: 'Someone tried to use this address for a Wharf account, but it already has one.',
    link: { label: 'Log in', url: `${appUrl}/login` },
    rest: "If this wasn't you, you can ignore this email. Nothing has changed.",
  });
}

/**
 * Returns the mail to an address without a usable account, for which somebody requested a recovery.
 */
export function noAccountMail(to: string, appUrl: string): LaidOutMail {
  return layOut({
    to,
    subject: 'No Wharf account uses this address',
    lead: 'Someone requested a password reset for this address, but no active account uses it.',
    link: { label: 'Sign up', url: `${appUrl}/signup` },
    rest: "Your account may use a different address. If this wasn't you, you can ignore this email.",
  });
}

/** Returns the mail to the old address after a change. The link works once, for 72 hours. */
export function addressChangedMail(to: string, newEmail: string, undoUrl: string): LaidOutMail {
  return layOut({
    to,
    subject: 'Your Wharf email address was changed',
    lead: `Your account now uses ${newEmail}.`,
    link: { label: 'Undo the change', url: undoUrl },
    rest: "If this wasn't you, undo the change: your account goes back to this address and all sessions end. The link works for 72 hours.",
  });
}
