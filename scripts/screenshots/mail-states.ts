import { addressChangedMail, codeMail } from '../../server/features/accounts/mails/mails.ts';
import { renderMail } from '../../server/platform/mail/mail-layout.tsx';
import type { LaidOutMail } from '../../server/platform/mail/port.ts';
import { type Scene, visitorAt as visitor } from './scene.ts';

const TO = 'ana@example.com';

/** A mail, as a client shows it that obeys its HTML. */
const mail = (name: string, content: LaidOutMail): Scene =>
  visitor(name, '/login', async (page) => {
    const { html = '' } = await renderMail(content);
    await page.goto('about:blank');
    await page.setContent(html);
  });

/** The mails: one with a code and one with a link. */
export const MAIL_STATES: Scene[] = [
  mail('mail-code', codeMail(TO, 482_913, 'delete-bucket', 'Open day')),
  mail(
    'mail-link',
    addressChangedMail(
      TO,
      'ana@harbour.example',
      'https://files.example/undo-email-change?token=x',
    ),
  ),
];
