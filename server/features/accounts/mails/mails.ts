import type { Mail } from '../../../platform/mail/port.ts';
import type { ChallengePurpose } from '../tables.ts';
import { layOut } from './mail-layout.tsx';

/** What each code is for, and what to do if somebody else requested it. */
const PURPOSES: Record<ChallengePurpose, { to: string; otherwise: string }> = {
  signup: {
    to: 'confirm your email address',
    otherwise: 'If you did not sign up, ignore this mail: no account is made.',
  },
  login: {
    to: 'log in',
    otherwise: 'If it was not you, change your password: somebody knows it.',
  },
  recovery: {
    to: 'set a new password',
    otherwise: 'If you did not ask for it, ignore this mail: your password stays as it is.',
  },
  'change-email': {
    to: 'make this the address of your account',
    otherwise: 'If you did not ask for it, ignore this mail: nothing changes.',
  },
  'change-password': {
    to: 'change your password',
    otherwise: 'If it was not you, log in and end the sessions that you do not know.',
  },
  'delete-account': {
    to: 'delete your account and all its files',
    otherwise: 'If it was not you, log in, change your password and end the other sessions.',
  },
  'delete-bucket': {
    to: 'delete a bucket and all its files',
    otherwise: 'If it was not you, log in, change your password and end the other sessions.',
  },
};

/** Returns the mail with a code. The code comes first in the subject, where a phone shows it. */
export function codeMail(to: string, code: number, purpose: ChallengePurpose): Promise<Mail> {
  const { to: action, otherwise } = PURPOSES[purpose];
  return layOut({
    to,
    subject: `${code} is your Wharf code`,
    lead: `Your code to ${action}:`,
    code,
    rest: `It is good for 10 minutes. ${otherwise}`,
  });
}

/** Returns the mail to the owner of an address that somebody signs up with, or moves an account to. */
export function addressTakenMail(to: string, appUrl: string): Promise<Mail> {
  return layOut({
    to,
    subject: 'You already have a Wharf account',
    lead: 'Somebody asked to use this address, which already has an account.',
    link: { label: 'Log in', url: `${appUrl}/login` },
    rest: 'If it was not you, there is nothing to do: nothing has changed.',
  });
}

/** Returns the mail to an address without a usable account, for which somebody requested a recovery. */
export function noAccountMail(to: string, appUrl: string): Promise<Mail> {
  return layOut({
    to,
    subject: 'No Wharf account has this address',
    lead: 'Somebody asked for a new password with this address, which has no account that can be used.',
    link: { label: 'Sign up', url: `${appUrl}/signup` },
    rest: 'Perhaps your account has another address. If it was not you, there is nothing to do.',
  });
}

/** Returns the mail to the old address after a change. The link works once, for 72 hours. */
export function addressChangedMail(to: string, newEmail: string, undoUrl: string): Promise<Mail> {
  return layOut({
    to,
    subject: 'The address of your Wharf account has changed',
    lead: `Your account now has the address ${newEmail}.`,
    link: { label: 'Undo the change', url: undoUrl },
    rest: 'If it was not you, undo it: this address comes back, and every session ends. The link works for 72 hours.',
  });
}
