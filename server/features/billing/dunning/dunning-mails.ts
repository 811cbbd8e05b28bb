import { formatUtc } from '../../../contract/dates/format.ts';
import { SUSPENSION_GRACE_HOURS } from '../../../contract/limits.ts';
import { formatBalance, toUsd } from '../../../contract/money.ts';
import { layOut } from '../../../platform/mail/mail-layout.tsx';
import type { LaidOutMail } from '../../../platform/mail/port.ts';
import type { Notice } from './dunning-rules.ts';

export type NoticeFacts = {
  to: string;
  appUrl: string;
  takesPayments: boolean;
  /** How many micro-USD below zero the account is still delivered. */
  creditLimit: number;
  /** When the delivery of a suspended account ends, in epoch milliseconds; null where it has ended. */
  deliveredUntil: number | null;
  /** When the buckets are deleted, in epoch milliseconds. */
  deletedAt: number;
};

/** Returns the mail to the owner of an account whose balance runs out. */
export function dunningMail(notice: Notice, facts: NoticeFacts): LaidOutMail {
  const { to, appUrl, takesPayments, creditLimit, deliveredUntil } = facts;
  const link = { label: takesPayments ? 'Top up' : 'View your balance', url: `${appUrl}/billing` };
  const otherwise = takesPayments
    ? `If it falls below zero, ${whenBelow(creditLimit)}`
    : "Your buckets stay active: payments aren't enabled on this server.";
  const words: Record<Notice, { subject: string; lead: string; rest: string }> = {
    low: {
      subject: 'Your Wharf balance is low',
      lead: 'Your balance is $1.00 or less.',
      rest: otherwise,
    },
    empty: {
      subject: 'Your Wharf balance is used up',
      lead: 'Your balance is $0.00.',
      rest: otherwise,
    },
    suspended: {
      subject: 'Your Wharf balance is used up: uploads have stopped',
      lead: "Your balance is below zero, so your buckets are suspended and don't accept uploads.",
      rest:
        deliveredUntil === null
          ? 'Your files are no longer delivered either. Top up to reactivate your buckets immediately.'
          : `Your files are delivered until ${formatUtc(deliveredUntil)}, unless your balance falls below ${dollarsBelow(creditLimit)}. Top up to reactivate your buckets immediately.`,
    },
    overdrawn: {
      subject: 'Your Wharf files are no longer delivered',
      lead: `Your balance is below ${dollarsBelow(creditLimit)}, so your files are no longer delivered.`,
      rest: 'Top up to reactivate your buckets immediately.',
    },
    'will-delete': {
      subject: `Your Wharf files will be deleted on ${formatUtc(facts.deletedAt)}`,
      lead: `Your balance is still below zero. Your buckets and all their files will be deleted on ${formatUtc(facts.deletedAt)}.`,
      rest: 'Top up before then to reactivate your buckets.',
    },
    deleted: {
      subject: 'Your Wharf files have been deleted',
      lead: 'Your balance was below zero for 30 days or longer, so your buckets and their files have been deleted.',
      rest: 'Your account is still open.',
    },
  };
  return layOut({ to, link, ...words[notice] });
}

const whenBelow = (creditLimit: number) =>
  creditLimit === 0
    ? 'uploads and delivery stop immediately.'
    : `uploads stop immediately. Delivery stops after ${SUSPENSION_GRACE_HOURS} hours, or when the balance falls below ${dollarsBelow(creditLimit)}.`;

const dollarsBelow = (amount: number) => formatBalance(-toUsd(amount));
