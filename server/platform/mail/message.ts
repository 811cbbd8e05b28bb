import type { SendMailOptions } from 'nodemailer';
import { asciiAddress, parseAddress } from './address.ts';
import { type Mail, MailRefusedError } from './port.ts';

/**
 * Returns a mail as nodemailer takes it. The header Auto-Submitted (RFC 3834 section 5) keeps vacation
 * responders from answering. Throws MailRefusedError when `to` is not one plain address.
 */
export function composeMessage(mail: Mail, from: string): SendMailOptions {
  const address = parseAddress(mail.to);
  if (!address) throw new MailRefusedError('Not a mail address.');
  return {
    from,
    // Nodemailer does not parse an object again, so nothing in it can become a second recipient.
    to: { name: '', address: asciiAddress(address) },
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    headers: { 'Auto-Submitted': 'auto-generated' },
    // Base64 would hide the code from a person who reads the message's source.
    textEncoding: 'quoted-printable',
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
