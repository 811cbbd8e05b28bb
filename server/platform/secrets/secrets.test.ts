import { describe, expect, test } from 'bun:test';
import { SignJWT } from 'jose';
import {
  deriveKeys,
  formatSecrets,
  mac,
  macs,
  parseSecrets,
  sameMac,
  seal,
  unseal,
} from './secrets.ts';
import { verifyJwt } from './verify-jwt.ts';

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
    expect(unseal(keys.all('api-key-seal'), sealed, 'bucket-1')).toBe('whf_müsli');
  });

  test('never gives the same text twice', () => {
    expect(seal(keys('api-key-seal'), 'x', 'a')).not.toBe(seal(keys('api-key-seal'), 'x', 'a'));
  });

  test('is refused for another row, another key, or one changed bit', () => {
    const sealed = seal(keys('api-key-seal'), 'whf_secret', 'bucket-1');
    const bytes = Buffer.from(sealed, 'base64url');
    bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
    expect(() => unseal(keys.all('api-key-seal'), sealed, 'bucket-2')).toThrow();
    expect(() => unseal(keys.all('mail-seal'), sealed, 'bucket-1')).toThrow();
    expect(() =>
      unseal(keys.all('api-key-seal'), bytes.toString('base64url'), 'bucket-1'),
    ).toThrow();
    expect(() => unseal(keys.all('api-key-seal'), '', 'bucket-1')).toThrow();
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

describe('two secrets', () => {
  const [first, second] = ['first secret '.repeat(3), 'second\nsecret '.repeat(3)];
  const both = deriveKeys(formatSecrets(first, second));

  test('are one text, and a secret of several lines stays one', () => {
    expect(parseSecrets(formatSecrets(first, second))).toEqual([first, second]);
    expect(parseSecrets(formatSecrets(second, null))).toEqual([second]);
  });

  test('open what either has sealed, and seal with the first', () => {
    const old = seal(deriveKeys(second)('mail-seal'), 'x', 'row');
    expect(unseal(both.all('mail-seal'), old, 'row')).toBe('x');
    expect(() => unseal([both('mail-seal')], old, 'row')).toThrow();
    const fresh = seal(both('mail-seal'), 'y', 'row');
    expect(unseal(deriveKeys(first).all('mail-seal'), fresh, 'row')).toBe('y');
    expect(() => unseal(both.all('mail-seal'), fresh, 'another row')).toThrow();
  });

  test('give a MAC each', () => {
    expect(macs(both.all('browser'), 'a')).toEqual([
      mac(deriveKeys(first)('browser'), 'a'),
      mac(deriveKeys(second)('browser'), 'a'),
    ]);
  });

  test('verify the tokens of either, and of nobody else', async () => {
    const tokenBy = (secret: string) =>
      new SignJWT({ a: 1 })
        .setProtectedHeader({ alg: 'HS256' })
        .sign(deriveKeys(secret)('session-token'));
    const verify = (token: string) =>
      verifyJwt(token, both.all('session-token'), { algorithms: ['HS256'] });
    expect(await verify(await tokenBy(first))).toEqual({ a: 1 });
    expect(await verify(await tokenBy(second))).toEqual({ a: 1 });
    await expect(verify(await tokenBy('third secret '.repeat(3)))).rejects.toThrow();
    await expect(verify('x.y.z')).rejects.toThrow();
  });
});
