import { describe, expect, test } from 'bun:test';
import { addressKey, parseAddress } from './address.ts';

const long = (length: number) => {
  const tail = `@${'d'.repeat(60)}.${'e'.repeat(60)}.${'f'.repeat(60)}.example`;
  return `${'a'.repeat(length - tail.length)}${tail}`;
};

const good = [
  'ada@example.com',
  'Ada.Lovelace@Example.COM',
  "o'brien+wharf@mail.example.co.uk",
  '1@2.example',
  'a!#$%&*/=?^_{|}~-z@example.com',
  'admin@localhost',
  'post@xn--bcher-kva.example',
  `${'a'.repeat(64)}@example.com`,
  `a@${'d'.repeat(63)}.com`,
  long(254),
  'ada@bücher.example',
  'ada@BÜCHER.example',
  'ada@почта.рф',
  'ada@例え.jp',
  'ada@नमस्ते.भारत',
  // Another domain than it looks like, and as good as any.
  'ada@ex\u0430mple.com',
];

const bad = [
  ['nothing', ''],
  ['white space', '   '],
  ['no at sign', 'example.com'],
  ['no local part', '@example.com'],
  ['no domain', 'ada@'],
  ['two at signs', 'ada@evil.example@example.com'],
  ['a header after it', 'ada@example.com\r\nBcc: eve@evil.example'],
  ['a header after a bare LF', 'ada@example.com\nBcc: eve@evil.example'],
  ['a header after a bare CR', 'ada@example.com\rBcc: eve@evil.example'],
  ['an SMTP command', 'ada@example.com>\r\nRCPT TO:<eve@evil.example'],
  ['CR LF in the local part', 'ada\r\n@example.com'],
  ['an address on the next line', 'eve@evil.example\nada@example.com'],
  ['a line end after it', 'ada@example.com\r\n'],
  ['a line end before it', '\nada@example.com'],
  ['a line separator after it', 'ada@example.com\u2028'],
  ['an encoded line end', 'ada%0d%0a@example.com%0aBcc:eve@evil.example'],
  ['a list', 'ada@example.com,eve@evil.example'],
  ['a list with semicolon', 'ada@example.com;eve@evil.example'],
  ['a list with space', 'ada@example.com eve@evil.example'],
  ['a group', 'friends:ada@example.com;'],
  ['a display name', 'Ada <ada@example.com>'],
  ['angle brackets', '<ada@example.com>'],
  ['a quoted local part', '"ada"@example.com'],
  ['a quoted recipient', '"eve@evil.example"@example.com'],
  ['a comment', 'ada(comment)@example.com'],
  ['a backslash', 'ada\\@example.com'],
  ['a backtick', '`id`@example.com'],
  ['a space inside', 'ada love@example.com'],
  ['a tab inside', 'ada\t@example.com'],
  ['NUL', 'ada\0@example.com'],
  ['NUL at the end', 'ada@example.com\0'],
  ['a leading dot', '.ada@example.com'],
  ['a trailing dot', 'ada.@example.com'],
  ['two dots', 'ada..love@example.com'],
  ['a domain of one label', 'ada@example'],
  ['a domain with a trailing dot', 'ada@example.com.'],
  ['a domain with a leading dot', 'ada@.example.com'],
  ['an empty label', 'ada@example..com'],
  ['a label that starts with a hyphen', 'ada@-example.com'],
  ['a label that ends with a hyphen', 'ada@example-.com'],
  ['an underscore in the domain', 'ada@ex_ample.com'],
  ['a port', 'ada@example.com:25'],
  ['an address literal', 'ada@[127.0.0.1]'],
  ['a bare IP address', 'ada@127.0.0.1'],
  ['a source route', '@relay.example:ada@example.com'],
  ['a percent route to another host', 'ada%evil.example@[10.0.0.1]'],
  ['letters outside ASCII', 'äda@example.com'],
  ['letters outside ASCII on both sides', 'äda@bücher.example'],
  ['an IP address in wide digits', 'ada@\uff11.\uff12.\uff13.\uff14'],
  ['a right-to-left override in the domain', 'ada@b\u202eücher.example'],
  ['a soft hyphen in the domain', 'ada@b\u00adücher.example'],
  ['a slash in the domain', 'ada@bü/cher.example'],
  ['an encoded letter in the domain', 'ada@b%c3%bccher.example'],
  ['a label that starts with a hyphen before ü', 'ada@-ü.example'],
  ['an underscore before ü', 'ada@a_ü.example'],
  [
    '255 characters as mail is sent to it',
    `${'a'.repeat(64)}@${'ü'.repeat(56)}.${`${'ü'.repeat(30)}.`.repeat(4)}example`,
  ],
  ['a fullwidth at sign', 'ada\uff20example.com'],
  ['a Kelvin sign', 'mar\u212a@example.com'],
  ['a right-to-left override', 'ada\u202e@example.com'],
  ['a zero-width space', 'ada\u200b@example.com'],
  ['a line separator', 'ada@example.com\u2028Bcc: eve@evil.example'],
  ['a local part of 65', `${'a'.repeat(65)}@example.com`],
  ['a label of 64', `a@${'d'.repeat(64)}.com`],
  ['255 characters', long(255)],
] as const;

describe('an address', () => {
  test.each(good)('may be %p', (text) => {
    expect(parseAddress(text)).toBe(text);
  });

  test.each(bad)('has never %s', (_, text) => {
    expect(parseAddress(text)).toBeNull();
  });

  test('comes without the spaces around it', () => {
    expect(parseAddress(' \tada@example.com ')).toBe('ada@example.com');
  });

  test('is read in no time, however long', () => {
    const before = process.cpuUsage();
    expect(parseAddress(`${'a.'.repeat(500_000)}@`)).toBeNull();
    expect(parseAddress(`a@${'a-'.repeat(120)}`)).toBeNull();
    // The limit is CPU time in microseconds and many times what a linear pattern takes; a backtracking one
    // takes minutes.
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
  });
});

describe('the key of an address', () => {
  test('is the same however it is spelt', () => {
    expect(addressKey('Ada.LOVELACE@Example.Com')).toBe('ada.lovelace@example.com');
  });

  test.each([
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
    ['ADA@BÜCHER.Example', 'ada@xn--bcher-kva.example'],
    ['ada@bu\u0308cher.example', 'ada@xn--bcher-kva.example'],
    ['ada@XN--BCHER-KVA.example', 'ada@xn--bcher-kva.example'],
    ['ada@\uff45xample.com', 'ada@example.com'],
    ['ada@\u212aiste.example', 'ada@kiste.example'],
    ['ada@почта.рф', 'ada@xn--80a1acny.xn--p1ai'],
  ])('is one for an international domain: %s', (address, key) => {
    expect(addressKey(address)).toBe(key);
  });

  test('of a domain that looks like another is another', () => {
    expect(addressKey('ada@ex\u0430mple.com')).not.toBe(addressKey('ada@example.com'));
  });

  test('folds nothing outside ASCII into an ASCII letter', () => {
    expect(addressKey('mar\u212a@example.com')).toBe('mar\u212a@example.com');
    expect(addressKey('\u0130@example.com')).toBe('\u0130@example.com');
  });

  test('keeps dots and tags, which some providers ignore and others do not', () => {
    expect(addressKey('a.b+c@example.com')).not.toBe(addressKey('ab@example.com'));
  });
});
