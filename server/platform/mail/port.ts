import { Failure } from '../../contract/failure.ts';

export type Mail = {
  to: string;
  subject: string;
  text: string;
  html?: string;
};

export type Mailer = {
  /**
   * Resolves once the mail is accepted by the next hop, or durable on disk. Throws MailRefused for good,
   * others for now, also when `signal` aborts.
   */
  send(mail: Mail, signal?: AbortSignal): Promise<void>;
};

/** The receiving server will never take this mail (SMTP 5xx): trying again is useless. */
export class MailRefused extends Failure {
  override name = 'MailRefused';
  constructor(reason: string) {
    super(reason, { retry: 'never' });
  }
}
