import type { Mail } from '../../platform/mail/port.ts';

const ENDING = '\n\nWharf';

/** The code opens an account, or a session. It comes first in the subject, where a phone shows it. */
export function codeMail(to: string, code: number, purpose: 'signup' | 'login'): Mail {
  const [what, otherwise] =
    purpose === 'signup'
      ? [
          'confirm your email address',
          'If you did not sign up, ignore this mail: no account is made.',
        ]
      : ['log in', 'If it was not you, change your password: somebody knows it.'];
  return {
    to,
    subject: `${code} is your Wharf code`,
    text: `Your code to ${what}:\n\n${code}\n\nIt is good for 10 minutes. ${otherwise}${ENDING}`,
  };
}

/** For the owner of an address that somebody signs up with again. */
export function alreadySignedUpMail(to: string, appUrl: string): Mail {
  return {
    to,
    subject: 'You already have a Wharf account',
    text: `Somebody signed up with this address, which already has an account.\n\nIf it was you, log in at ${appUrl}/login. If not, there is nothing to do: nothing has changed.${ENDING}`,
  };
}
