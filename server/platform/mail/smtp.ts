import { createTransport } from 'nodemailer';
import { SECOND } from '../../contract/limits.ts';
import { composeMessage } from './message.ts';
import { type Mailer, MailRefused } from './port.ts';

const WHOLE_SEND = 45 * SECOND;
/** Nodemailer's names for a reply about the sender, the recipient or the message. */
const ABOUT_THE_MAIL = ['EENVELOPE', 'EMESSAGE'];
/** RFC 4954 section 6, "Authentication required": the admin can mend that, and the same mail goes through. */
const LOGIN_REQUIRED = 530;

/**
 * Sends by an SMTP server.
 * @param url `smtp://user:password@host:587` (STARTTLS where the server offers it) or `smtps://…`
 *   (TLS from the start); nodemailer's options as query parameters, such as `?requireTLS=true`
 * @param from address, with or without a display name
 * @param timeout milliseconds that the server may be silent
 */
export function openSmtpMailer({
  url,
  from,
  timeout = 15 * SECOND,
}: {
  url: string;
  from: string;
  timeout?: number;
}): Mailer {
  const transport = transportTo(url, timeout);
  return {
    async send(mail, signal) {
      const message = composeMessage(mail, from);
      try {
        // The other timeouts restart with each byte: a server that sends one now and then would hold the connection for ever.
        const late = AbortSignal.timeout(WHOLE_SEND);
        const ended = signal ? AbortSignal.any([signal, late]) : late;
        await transport.sendMail({ ...message, signal: ended });
      } catch (error) {
        throw isRefusal(error) ? new MailRefused(error.message) : named(error);
      }
    },
  };
}

/** Connects and logs in, and sends nothing. Throws what the server or the network says. */
export async function reachSmtp(url: string, timeout = 15 * SECOND): Promise<void> {
  const transport = transportTo(url, timeout);
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

const transportTo = (url: string, timeout: number) =>
  createTransport({
    url,
    dnsTimeout: timeout,
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    disableFileAccess: true,
    disableUrlAccess: true,
  });

/** The log shows this alone: 'connect ECONNREFUSED' by itself tells nobody what to mend. */
function named(error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return error;
  const named = new Error(`The mail server of SMTP_URL: ${error.message}`, { cause: error });
  return Object.assign(named, error);
}

/**
 * Nodemailer calls a reply permanent as RFC 5321 section 4.2.1 does (5xx), but for 503, a session
 * out of step. A 5xx to a greeting, to STARTTLS or to a login is about us, not about this mail.
 */
function isRefusal(error: unknown): error is Error {
  return (
    error instanceof Error &&
    'permanent' in error &&
    error.permanent === true &&
    'code' in error &&
    ABOUT_THE_MAIL.includes(String(error.code)) &&
    !('responseCode' in error && error.responseCode === LOGIN_REQUIRED)
  );
}
