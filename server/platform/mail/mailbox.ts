import { addressKey } from './address.ts';

/** The domains of Gmail, which are one: it delivers mail for either to the same account. */
const GMAIL_DOMAINS = new Set(['gmail.com', 'googlemail.com']);

/**
 * Returns the key of the mailbox that receives the mail of an address. Sub-addresses after a '+' (RFC 5233)
 * are in the mailbox of the part before it, and Gmail ignores dots as well. It identifies a mailbox and
 * is no address to send to: at a few providers a '+' is an ordinary character.
 */
export function mailboxKey(address: string): string {
  const key = addressKey(address);
  const at = key.lastIndexOf('@');
  const local = key.slice(0, at);
  const domain = key.slice(at + 1);
  const plus = local.indexOf('+');
  const mailbox = plus > 0 ? local.slice(0, plus) : local;
  if (!GMAIL_DOMAINS.has(domain)) return `${mailbox}@${domain}`;
  return `${mailbox.replaceAll('.', '')}@gmail.com`;
}
