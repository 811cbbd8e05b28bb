import { parseAddress } from '../platform/mail/address.ts';

const WEB = ['http:', 'https:'];
/** `ada@example.com` or `Ada <ada@example.com>`. */
const SENDER = /^(?:[^<>\p{Cc}]*<([^<>]+)>|([^<>]+))$/u;

/**
 * Reads single values of an environment, collecting one sentence per mistake.
 * An empty value counts as unset.
 */
export function envReader(env: Record<string, string | undefined>) {
  const mistakes: string[] = [];
  const mistake = (text: string) => void mistakes.push(text);

  const text = (name: string): string | null => env[name]?.trim() || null;

  const number = (name: string, fallback: number, pattern: RegExp, wanted: string) => {
    const value = text(name);
    if (value === null) return fallback;
    if (pattern.test(value)) return Number(value);
    mistake(`${name} must be ${wanted}, not '${value}'.`);
    return fallback;
  };

  /** An absolute URL without its trailing slash. */
  const url = (name: string, protocols: string[]): string | null => {
    const value = text(name);
    if (value === null) return null;
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) {
      return value.replace(/\/+$/, '');
    }
    mistake(
      `${name} must be a URL that starts with ${protocols.map((one) => `${one}//`).join(' or ')}.`,
    );
    return null;
  };

  return {
    mistakes,
    mistake,
    text,
    url,
    integer(name: string, fallback: number, least: number, most: number): number {
      const wanted = `a whole number from ${least} to ${most}`;
      const value = number(name, fallback, /^\d{1,16}$/, wanted);
      if (value >= least && value <= most) return value;
      mistake(`${name} must be ${wanted}.`);
      return fallback;
    },
    price(name: string, fallback: number): number {
      return number(name, fallback, /^\d{1,6}(\.\d{1,6})?$/, 'an amount of USD such as 0.03');
    },
    flag(name: string): boolean {
      const value = text(name)?.toLowerCase();
      if (value === undefined || ['0', 'false', 'no'].includes(value)) return false;
      if (!['1', 'true', 'yes'].includes(value)) mistake(`${name} must be yes or no.`);
      return true;
    },
    choice<Choice extends string>(name: string, choices: Choice[], fallback: Choice): Choice {
      const value = text(name);
      if (value === null) return fallback;
      const chosen = choices.find((one) => one === value);
      if (!chosen) mistake(`${name} must be one of ${choices.join(', ')}, not '${value}'.`);
      return chosen ?? fallback;
    },
    /** A web address that others are made of by adding a path, so nothing may stand after its own. */
    address(name: string, { path }: { path: boolean }): string | null {
      const value = url(name, WEB);
      const { pathname, search, hash, username } = new URL(value ?? 'http://none');
      const isPlain = !search && !hash && !username && !value?.endsWith('?');
      if (isPlain && (path || pathname === '/')) return value;
      mistake(
        `${name} must be ${path ? 'an address' : 'scheme, host and port'} alone, such as https://files.example.com${path ? '/cdn' : ''}.`,
      );
      return null;
    },
    /** Whom mails come from. */
    sender(name: string): string | null {
      const value = text(name);
      const [, named, bare] = SENDER.exec(value ?? '') ?? [];
      if (value === null || parseAddress(named ?? bare ?? '')) return value;
      mistake(`${name} must be an email address, or a name and <address>.`);
      return null;
    },
  };
}
