import type { SendMailOptions } from 'nodemailer';
import { parseAddress } from './address.ts';
import { type Mail, MailRefused } from './port.ts';

/**
 * A mail as nodemailer takes it. Throws MailRefused when `to` is not one plain address.
 * RFC 3834 section 5: "auto-generated" keeps vacation responders from answering.
 */
export function composeMessage(mail: Mail, from: string): SendMailOptions {
  const address = parseAddress(mail.to);
  if (!address) throw new MailRefused('Not a mail address.');
  return {
    from,
    // An object is never parsed again, so nothing in it can become a second recipient.
    to: { name: '', address },
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    headers: { 'Auto-Submitted': 'auto-generated' },
    // Not base64: a person must be able to find the code in the message's source.
    textEncoding: 'quoted-printable',
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
