import type { Config } from '../config/config.ts';
import type { Mailer } from '../platform/mail/port.ts';

/** Opened, and its library loaded, with the first mail. */
export function lazyMailer({ mail }: Config, announce: (path: string) => void): Mailer {
  const open = async (): Promise<Mailer> => {
    if (mail.kind === 'outbox') {
      const { openOutboxMailer } = await import('../platform/mail/outbox.ts');
      return openOutboxMailer({ ...mail, announce });
    }
    const { openSmtpMailer } = await import('../platform/mail/smtp.ts');
    return openSmtpMailer(mail);
  };
  let opened: Promise<Mailer> | undefined;
  return {
    async send(letter, signal) {
      opened ??= open();
      await (await opened).send(letter, signal);
    },
  };
}

/** Throws where the mail server can't be reached, or does not take our login. */
export async function reachMail(url: string): Promise<void> {
  await (await import('../platform/mail/smtp.ts')).reachSmtp(url);
}
