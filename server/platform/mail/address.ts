import { domainToASCII } from 'node:url';
import { EMAIL_MAX } from '../../contract/limits.ts';

/*
 * One address must reach one recipient. CR and LF would end an SMTP command or a header. Commas,
 * semicolons, '<', '(' and quotes would make a mail library find more or other recipients. Characters
 * outside ASCII look like others or fold into them. Therefore an address is a Dot-string at a Domain of RFC
 * 5321 section 4.1.2, without the quoted and literal forms that no mail provider assigns. A domain may be
 * internationalized: it has one form in ASCII (RFC 5890, A-label), to which mail is sent, and by which
 * addresses are compared.
 */
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_{|}~-]+";
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
/** The last label starts with a letter, so that '1.2.3.4' is not a domain. */
const TOP = '[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const LOCAL_MAX = 64;
/** Line ends are refused even around an address, because only an attacker sends them. */
const LINE_END = /[\r\n\u2028\u2029]/;
/** Letters and digits of any script. What is invisible, or turns text around, is none. */
const DOMAIN_CHARACTERS = /^[\p{L}\p{M}\p{N}.-]+$/u;
const OUTSIDE_ASCII = /[^\0-\x7f]/;
const ADDRESS = new RegExp(`^(${ATOM}(?:\\.${ATOM})*)@(?:(?:${LABEL}\\.)+${TOP}|localhost)$`);

/**
 * Parses one mail address and trims spaces around it. Returns null for everything else: line ends, display
 * names, lists, comments, quoted local parts, address literals, and more than 254 characters.
 */
export function parseAddress(text: string): string | null {
  if (LINE_END.test(text)) return null;
  const address = text.trim();
  if (address.length > EMAIL_MAX) return null;
  const sent = asciiAddress(address);
  const local = sent.length <= EMAIL_MAX && ADDRESS.exec(sent)?.[1];
  return local && local.length <= LOCAL_MAX ? address : null;
}

/** Whether an address has characters outside ASCII before its domain, which few mail servers take. */
export const isLocalPartForeign = (text: string): boolean =>
  OUTSIDE_ASCII.test(text.slice(0, Math.max(0, text.lastIndexOf('@'))));

/** Returns an address with its domain as mail is sent to it. Text that is no address stays what it is. */
export function asciiAddress(address: string): string {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  if (!OUTSIDE_ASCII.test(domain) || !DOMAIN_CHARACTERS.test(domain)) return address;
  // The rules of a label's ends hold for what people read; the ASCII form starts with 'xn--'.
  if (/(?:^|\.)-|-(?:\.|$)/.test(domain)) return address;
  return `${address.slice(0, at + 1)}${domainToASCII(domain) || domain}`;
}

/**
 * Returns the key under which two spellings of one address are equal. It folds ASCII letters only:
 * `toLowerCase` turns KELVIN SIGN into 'k', which would make another person's address yours.
 */
export function addressKey(address: string): string {
  return asciiAddress(address).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Returns the address of a sender such as 'Wharf <wharf@example.com>'. */
export const addressOfSender = (sender: string): string => /<([^<>]+)>/.exec(sender)?.[1] ?? sender;
