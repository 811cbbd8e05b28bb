import { createTransport } from 'nodemailer';
import { SECOND } from '../../contract/limits.ts';
import { composeMessage } from './message.ts';
import { type Mailer, MailRefusedError } from './port.ts';

const SEND_TIMEOUT_MS = 45 * SECOND;
/** Nodemailer's codes for a reply about the sender, the recipient or the message. */
const MAIL_ERROR_CODES = ['EENVELOPE', 'EMESSAGE'];
/**
 * RFC 4954 section 6, "Authentication required": the admin can fix this, and then the same mail goes
 * through.
 */
const LOGIN_REQUIRED = 530;

/**
 * Returns a mailer that sends through an SMTP server.
 * @param url `smtp://user:password@host:587` (STARTTLS where the server offers it) or `smtps://…` (TLS from
 *   the start); nodemailer's options as query parameters, such as `?requireTLS=true`
 * @param from address, with or without a display name
 * @param timeout milliseconds for which the server may be silent
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
        // The other timeouts restart with each byte, so a server that sends one now and then would hold the
        // connection for ever.
        const timedOut = AbortSignal.timeout(SEND_TIMEOUT_MS);
        const abortSignal = signal ? AbortSignal.any([signal, timedOut]) : timedOut;
        await transport.sendMail({ ...message, signal: abortSignal });
      } catch (error) {
        throw isPermanentRejection(error)
          ? new MailRefusedError(error.message)
          : withContext(error);
      }
    },
  };
}

/** Connects and logs in without sending anything. Throws the error of the server or the network. */
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

/** The log shows only the message, and 'connect ECONNREFUSED' alone does not say what to fix. */
function withContext(error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return error;
  const wrapped = new Error(`The mail server of SMTP_URL: ${error.message}`, { cause: error });
  return Object.assign(wrapped, error);
}

/**
 * Nodemailer calls a reply permanent as RFC 5321 section 4.2.1 does (5xx), except for 503, a session out of
 * step. A 5xx to a greeting, to STARTTLS or to a login is about our configuration and not about this mail.
 */
function isPermanentRejection(error: unknown): error is Error {
  return (
    error instanceof Error &&
    'permanent' in error &&
    error.permanent === true &&
    'code' in error &&
    MAIL_ERROR_CODES.includes(String(error.code)) &&
    !('responseCode' in error && error.responseCode === LOGIN_REQUIRED)
  );
}
