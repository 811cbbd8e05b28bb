import { expect, test } from 'bun:test';
import { cryptomusSign, verifiedCallback } from './cryptomus.ts';

const KEY = 'a payment key';
const FIELDS = { type: 'payment', order_id: '01jw', amount: '20.00', txid: 'a/b', from: 'Zürich' };
const json = JSON.stringify(FIELDS);
const php = json.replaceAll('/', '\\/');
const withSign = (json: string, sign: string) => `${json.slice(0, -1)},"sign":"${sign}"}`;

test('a request is signed by the MD5 of its Base64 and the key', () => {
  // The shell computes the same: printf '%s' "$(printf '{}' | base64)key" | md5sum
  expect(cryptomusSign('{}', 'key')).toBe('5d804dfcbf33c7c3141d37b429eb7999');
});

test('a callback is let in in each of the spellings that its signer may have used', () => {
  const bodies = [
    withSign(php, cryptomusSign(php, KEY)),
    withSign(json, cryptomusSign(json, KEY)),
    // This one is signed with plain letters and sent with escaped ones.
    withSign(php.replaceAll('ü', '\\u00fc'), cryptomusSign(php, KEY)),
    // This one is signed exactly as it was sent, with its spaces.
    withSign(
      '{"type": "payment", "amount": 1.0}',
      cryptomusSign('{"type": "payment", "amount": 1.0}', KEY),
    ),
  ];
  for (const body of bodies) expect(verifiedCallback(body, KEY)).toMatchObject({ type: 'payment' });
  expect(verifiedCallback(bodies[0] ?? '', KEY)).toEqual(FIELDS);
});

test('another key, another field, no signature, two of them or no object is refused', () => {
  const sign = cryptomusSign(php, KEY);
  const good = withSign(php, sign);
  expect(verifiedCallback(good, 'another')).toBeNull();
  const bad = [
    good.replace('20.00', '90.00'),
    good.replace('{', '{"status":"paid",'),
    withSign(good, sign).replace('20.00', '90.00'),
    withSign(php, sign.toUpperCase()),
    withSign(php, ''),
    withSign(php, `${sign.slice(0, -1)}`),
    php,
    'null',
    '[]',
    '""',
    '{"sign":"',
    '',
  ];
  for (const body of bad) expect([body, verifiedCallback(body, KEY)]).toEqual([body, null]);
});
