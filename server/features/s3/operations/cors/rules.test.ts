import { expect, test } from 'bun:test';
import { parseXml } from '../../xml/parse.ts';
import { type CorsRule, matchCors, parseCors } from './rules.ts';

const namesOf = (count: number) => Array.from({ length: count }, (_, n) => `X-Amz-Meta-${n}`);
const ruleFor = (headers: string[]): CorsRule => ({
  ...{ origins: ['https://*.example'], methods: ['PUT'], headers, exposed: [] },
});
const isAllowed = (headers: string[], rule: CorsRule) =>
  matchCors([rule], { origin: 'https://a.example', method: 'PUT', headers }) !== null;

test('a script may send the headers that patterns of a rule match, and no other one', () => {
  const rule = ruleFor(['Content-Type', 'x-amz-*', 'x-*-id']);
  expect(isAllowed([], rule)).toBe(true);
  expect(isAllowed([], ruleFor([]))).toBe(true);
  expect(isAllowed(['content-type', 'X-Amz-Acl', 'x-request-id'], rule)).toBe(true);
  expect(isAllowed(['content-type', 'x-other'], rule)).toBe(false);
  expect(isAllowed(['content-types'], rule)).toBe(false);
  expect(isAllowed(['x-id'], rule)).toBe(false);
  expect(isAllowed(['range'], ruleFor([]))).toBe(false);
});

test('a preflight for more headers than scripts send is refused, whatever a rule allows', () => {
  const all = ruleFor(['*']);
  expect(isAllowed(namesOf(100), all)).toBe(true);
  expect(isAllowed([...namesOf(100), ...namesOf(100)], all)).toBe(true);
  expect(isAllowed(namesOf(101), all)).toBe(false);
});

test('the patterns of a rule are read once for all headers of a preflight', () => {
  let reads = 0;
  const patterns = new Proxy([...Array.from({ length: 999 }, (_, n) => `other-${n}`), '*'], {
    get(target, property, receiver) {
      if (typeof property === 'string' && /^\d+$/.test(property)) reads += 1;
      return Reflect.get(target, property, receiver);
    },
  });
  expect(isAllowed(namesOf(100), ruleFor(patterns))).toBe(true);
  expect(reads).toBe(1000);
});

test('a configuration has a bounded number of patterns that each preflight compares with all its headers', () => {
  const ruleXml = (elements: string) =>
    `<CORSRule><AllowedMethod>PUT</AllowedMethod><AllowedOrigin>https://a.example</AllowedOrigin>${elements}</CORSRule>`;
  const parse = (...rules: string[][]) =>
    parseCors(
      parseXml(
        `<CORSConfiguration>${rules
          .map((headers) =>
            ruleXml(headers.map((one) => `<AllowedHeader>${one}</AllowedHeader>`).join('')),
          )
          .join('')}</CORSConfiguration>`,
      ),
    );
  const wild = (count: number) => namesOf(count).map((name) => `${name}-*`);
  expect(parse(wild(250), [...wild(250), ...namesOf(1000)]).length).toBe(2);
  expect(() => parse(wild(250), wild(251))).toThrow('500 origins and headers');
  expect(parse(namesOf(2000))[0]?.headers.length).toBe(2000);
});
