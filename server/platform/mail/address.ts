import { EMAIL_MAX } from '../../contract/limits.ts';

/*
 * One address goes where one address is meant. CR and LF would end an SMTP command or a header;
 * ',', ';', '<', '(' and quotes would make a mail library find more recipients or other ones;
 * characters outside ASCII look like others or fold into them. So: a Dot-string at a Domain of
 * RFC 5321 section 4.1.2, without the quoted and literal forms that no mail provider gives out.
 */
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_{|}~-]+";
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
/** The last label starts with a letter: '1.2.3.4' is no domain. */
const TOP = '[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const LOCAL_MAX = 64;
/** Not even around it: whoever sends one tries something. */
const LINE_END = /[\r\n\u2028\u2029]/;
const ADDRESS = new RegExp(`^(${ATOM}(?:\\.${ATOM})*)@(?:(?:${LABEL}\\.)+${TOP}|localhost)$`);

/**
 * Reads one mail address, spaces around it dropped. Null for everything else: line ends, display names, lists, comments, quoted local parts, address literals, over 254 characters.
 */
export function parseAddress(text: string): string | null {
  if (LINE_END.test(text)) return null;
  const address = text.trim();
  if (address.length > EMAIL_MAX) return null;
  const local = ADDRESS.exec(address)?.[1];
  return local && local.length <= LOCAL_MAX ? address : null;
}

/**
 * What two spellings of one address have in common. Only ASCII letters are folded: with
 * `toLowerCase`, KELVIN SIGN becomes 'k' and another's address becomes yours.
 */
export function addressKey(address: string): string {
  return address.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
