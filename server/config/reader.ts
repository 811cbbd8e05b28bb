import { asciiAddress, parseAddress } from '../platform/mail/address.ts';

const WEB = ['http:', 'https:'];
/** Matches `ada@example.com` and `Ada <ada@example.com>`. */
const SENDER = /^(?:[^<>\p{Cc}]*<([^<>]+)>|([^<>]+))$/u;

/**
 * Reads single values of an environment, and collects one sentence for each mistake. An empty value counts
 * as unset.
 */
export class EnvReader {
  readonly mistakes: string[] = [];
  private readonly env: Record<string, string | undefined>;

  constructor(env: Record<string, string | undefined>) {
    this.env = env;
  }

  mistake(text: string): void {
    this.mistakes.push(text);
  }

  text(name: string): string | null {
    return this.env[name]?.trim() || null;
  }

  /** Returns an absolute URL without its trailing slash. */
  url(name: string, protocols: string[]): string | null {
    const value = this.text(name);
    if (value === null) return null;
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) {
      return value.replace(/\/+$/, '');
    }
    const starts = protocols.map((one) => `${one}//`).join(' or ');
    this.mistake(`${name} must be a URL that starts with ${starts}.`);
    return null;
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const expected = `a whole number from ${min} to ${max}`;
    const value = this.number(name, fallback, /^\d{1,16}$/, expected);
    if (value >= min && value <= max) return value;
    this.mistake(`${name} must be ${expected}.`);
    return fallback;
  }

  optionalInteger(name: string, min: number, max: number): number | null {
    return this.text(name) === null ? null : this.integer(name, min, min, max);
  }

  price(name: string, fallback: number): number {
    return this.number(name, fallback, /^\d{1,6}(\.\d{1,6})?$/, 'an amount of USD such as 0.03');
  }

  flag(name: string): boolean {
    const value = this.text(name)?.toLowerCase();
    if (value === undefined || ['0', 'false', 'no'].includes(value)) return false;
    if (!['1', 'true', 'yes'].includes(value)) this.mistake(`${name} must be yes or no.`);
    return true;
  }

  choice<Choice extends string>(name: string, choices: Choice[], fallback: Choice): Choice {
    const value = this.text(name);
    if (value === null) return fallback;
    const choice = choices.find((one) => one === value);
    if (!choice) this.mistake(`${name} must be one of ${choices.join(', ')}, not '${value}'.`);
    return choice ?? fallback;
  }

  /** Returns a web address to which paths are appended, so it can't have a query or a fragment. */
  address(name: string, { path }: { path: boolean }): string | null {
    const value = this.url(name, WEB);
    const { pathname, search, hash, username } = new URL(value ?? 'http://none');
    const hasNoExtras = !search && !hash && !username && !value?.endsWith('?');
    if (hasNoExtras && (path || pathname === '/')) return value;
    this.mistake(
      `${name} must be ${path ? 'an address' : 'scheme, host and port'} alone, such as https://files.example.com${path ? '/cdn' : ''}.`,
    );
    return null;
  }

  /** Returns the sender of mails. */
  sender(name: string): string | null {
    const value = this.text(name);
    const [, named, plainAddress] = SENDER.exec(value ?? '') ?? [];
    const address = named ?? plainAddress ?? '';
    if (value === null) return null;
    if (parseAddress(address)) return value.replace(address, () => asciiAddress(address));
    this.mistake(`${name} must be an email address, or a name and <address>.`);
    return null;
  }

  private number(name: string, fallback: number, pattern: RegExp, expected: string): number {
    const value = this.text(name);
    if (value === null) return fallback;
    if (pattern.test(value)) return Number(value);
    this.mistake(`${name} must be ${expected}, not '${value}'.`);
    return fallback;
  }
}
