import { Failure } from '../../contract/failure.ts';

export type Mail = {
  to: string;
  subject: string;
  text: string;
  html?: string;
};

export type MailContent = {
  to: string;
  subject: string;
  lead: string;
  code?: number;
  link?: { label: string; url: string };
  rest: string;
};

/** A mail as it is queued: in a transaction, in which nothing may be rendered. */
export type LaidOutMail = Mail & {
  content?: MailContent;
  /**
   * Whether somebody acts on this mail for days, as on one that announces a deletion. It is sent as soon as the
   * mail server is back, while others are given up within minutes, as their codes expire.
   */
  isNotice?: boolean;
};

export type Mailer = {
  /**
   * Resolves when the next hop has accepted the mail, or it is durable on the disk. Throws MailRefusedError for
   * a permanent failure, and other errors for temporary ones and when `signal` aborts.
   */
  send(mail: Mail, signal?: AbortSignal): Promise<void>;
};

/** The receiving server will never accept this mail (SMTP 5xx), so retrying is useless. */
export class MailRefusedError extends Failure {
  override name = 'MailRefusedError';
  constructor(reason: string) {
    super(reason, { retry: 'never' });
  }
}
