import { describe, expect, test } from 'bun:test';
import { deriveKeys, mac, sameMac, seal, unseal } from './secrets.ts';

const keys = deriveKeys('a secret of more than thirty-two characters');

describe('keys', () => {
  test('differ by use and by secret, and are the same every time', () => {
    const other = deriveKeys('another secret of more than thirty-two characters');
    expect(keys('session-token')).toEqual(
      deriveKeys('a secret of more than thirty-two characters')('session-token'),
    );
    expect(keys('session-token')).not.toEqual(keys('bucket-token'));
    expect(keys('session-token')).not.toEqual(other('session-token'));
  });
});

describe('seal', () => {
  test('gives the text back to the same key and context', () => {
    const sealed = seal(keys('api-key-seal'), 'whf_müsli', 'bucket-1');
    expect(sealed).not.toContain('whf_');
    expect(unseal(keys('api-key-seal'), sealed, 'bucket-1')).toBe('whf_müsli');
  });

  test('never gives the same text twice', () => {
    expect(seal(keys('api-key-seal'), 'x', 'a')).not.toBe(seal(keys('api-key-seal'), 'x', 'a'));
  });

  test('is refused for another row, another key, or one changed bit', () => {
    const sealed = seal(keys('api-key-seal'), 'whf_secret', 'bucket-1');
    const bytes = Buffer.from(sealed, 'base64url');
    bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
    expect(() => unseal(keys('api-key-seal'), sealed, 'bucket-2')).toThrow();
    expect(() => unseal(keys('mail-seal'), sealed, 'bucket-1')).toThrow();
    expect(() => unseal(keys('api-key-seal'), bytes.toString('base64url'), 'bucket-1')).toThrow();
    expect(() => unseal(keys('api-key-seal'), '', 'bucket-1')).toThrow();
  });
});

describe('mac', () => {
  test('tells lists of parts apart that join to the same text', () => {
    expect(mac(keys('one-time-code'), 'ab', 'c')).not.toBe(mac(keys('one-time-code'), 'a', 'bc'));
  });

  test('is equal only to itself', () => {
    const one = mac(keys('one-time-code'), 'a');
    expect(sameMac(one, mac(keys('one-time-code'), 'a'))).toBe(true);
    expect(sameMac(one, mac(keys('one-time-code'), 'b'))).toBe(false);
    expect(sameMac(one, `${one}x`)).toBe(false);
  });
});
