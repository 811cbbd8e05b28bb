import { EMAIL_MAX } from '../../contract/limits.ts';

/*
 * One address must reach one recipient. CR and LF would end an SMTP command or a header. Commas,
 * semicolons, '<', '(' and quotes would make a mail library find more or other recipients. Characters
 * outside ASCII look like others or fold into them. Therefore an address is a Dot-string at a Domain of RFC
 * 5321 section 4.1.2, without the quoted and literal forms that no mail provider assigns.
 */
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_{|}~-]+";
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
/** The last label starts with a letter, so that '1.2.3.4' is not a domain. */
const TOP = '[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const LOCAL_MAX = 64;
/** Line ends are refused even around an address, because only an attacker sends them. */
const LINE_END = /[\r\n\u2028\u2029]/;
const ADDRESS = new RegExp(`^(${ATOM}(?:\\.${ATOM})*)@(?:(?:${LABEL}\\.)+${TOP}|localhost)$`);

/**
 * Parses one mail address and trims spaces around it. Returns null for everything else: line ends, display
 * names, lists, comments, quoted local parts, address literals, and more than 254 characters.
 */
export function parseAddress(text: string): string | null {
  if (LINE_END.test(text)) return null;
  const address = text.trim();
  if (address.length > EMAIL_MAX) return null;
  const local = ADDRESS.exec(address)?.[1];
  return local && local.length <= LOCAL_MAX ? address : null;
}

/**
 * Returns the key under which two spellings of one address are equal. It folds ASCII letters only:
 * `toLowerCase` turns KELVIN SIGN into 'k', which would make another person's address yours.
 */
export function addressKey(address: string): string {
  return address.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
