import { describe, expect, test } from 'bun:test';
import { isFresh, isOther, rangeOf } from './conditional-requests.ts';

const ETAG = '"abc"';
const MODIFIED = Date.parse('2025-05-05T10:00:00.500Z');
const VERSION = { etag: ETAG, modifiedAt: MODIFIED };
const TAG_ONLY = { etag: ETAG, modifiedAt: null };
const AT = 'Mon, 05 May 2025 10:00:00 GMT';
const BEFORE = 'Mon, 05 May 2025 09:59:59 GMT';

const get = (headers: Record<string, string>) => ({ method: 'GET', headers: new Headers(headers) });

describe('a range', () => {
  test('is of GET only', () => {
    const { headers } = get({ range: 'bytes=0-1' });
    expect(rangeOf({ method: 'HEAD', headers }, 100, VERSION)).toBeNull();
  });

  const cases: [string, ReturnType<typeof rangeOf>][] = [
    ['bytes=0-0', { start: 0, end: 1 }],
    ['Bytes=0-0', { start: 0, end: 1 }],
    ['bytes=0-99', { start: 0, end: 100 }],
    ['bytes=0-1000', { start: 0, end: 100 }],
    ['bytes=99-', { start: 99, end: 100 }],
    ['bytes=-1', { start: 99, end: 100 }],
    ['bytes=-1000', { start: 0, end: 100 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=100-200', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=5-4', null],
    ['bytes=-', null],
    ['bytes=0-1,3-4', null],
    ['bytes=a-b', null],
    ['items=0-1', null],
    ['bytes=1.5-3', null],
    ['bytes=+1-3', null],
  ];
  for (const [range, expected] of cases) {
    test(`of '${range}' in 100 bytes is ${JSON.stringify(expected)}`, () => {
      expect(rangeOf(get({ range }), 100, VERSION)).toEqual(expected);
    });
  }

  test('of an empty file is never satisfiable', () => {
    expect(rangeOf(get({ range: 'bytes=0-' }), 0, VERSION)).toBe('unsatisfiable');
  });

  test('is the whole when If-Range names another version', () => {
    const range = 'bytes=0-1';
    const of = (ifRange: string) => rangeOf(get({ range, 'if-range': ifRange }), 100, VERSION);
    expect(of(ETAG)).toEqual({ start: 0, end: 2 });
    expect(of(AT)).toEqual({ start: 0, end: 2 });
    expect(of('"other"')).toBeNull();
    expect(of(`W/${ETAG}`)).toBeNull();
    expect(of(BEFORE)).toBeNull();
    expect(of('nonsense')).toBeNull();
  });
});

test('without a time of change only the tag tells versions apart', () => {
  expect(isFresh(new Headers({ 'if-modified-since': AT }), TAG_ONLY)).toBe(false);
  expect(isFresh(new Headers({ 'if-none-match': ETAG }), TAG_ONLY)).toBe(true);
  expect(isOther(new Headers({ 'if-unmodified-since': BEFORE }), TAG_ONLY)).toBe(false);
  const range = { range: 'bytes=0-1', 'if-range': AT };
  expect(rangeOf(get(range), 100, TAG_ONLY)).toBeNull();
});

describe('a request that is for one version only', () => {
  const cases: [Record<string, string>, boolean][] = [
    [{}, false],
    [{ 'if-match': ETAG }, false],
    [{ 'if-match': `"x", ${ETAG}` }, false],
    [{ 'if-match': '*' }, false],
    [{ 'if-match': '"x"' }, true],
    [{ 'if-match': `W/${ETAG}` }, true],
    [{ 'if-unmodified-since': AT }, false],
    [{ 'if-unmodified-since': BEFORE }, true],
    [{ 'if-unmodified-since': 'nonsense' }, false],
    [{ 'if-match': ETAG, 'if-unmodified-since': BEFORE }, false],
  ];
  for (const [headers, other] of cases) {
    test(`with ${JSON.stringify(headers)} is ${other ? 'refused' : 'answered'}`, () => {
      expect(isOther(new Headers(headers), VERSION)).toBe(other);
    });
  }
});

describe('a copy', () => {
  const cases: [Record<string, string>, boolean][] = [
    [{}, false],
    [{ 'if-none-match': ETAG }, true],
    [{ 'if-none-match': `W/${ETAG}` }, true],
    [{ 'if-none-match': `"x", ${ETAG}` }, true],
    [{ 'if-none-match': '*' }, true],
    [{ 'if-none-match': '"x"' }, false],
    [{ 'if-modified-since': AT }, true],
    [{ 'if-modified-since': BEFORE }, false],
    [{ 'if-modified-since': 'nonsense' }, false],
    [{ 'if-none-match': '"x"', 'if-modified-since': AT }, false],
  ];
  for (const [headers, fresh] of cases) {
    test(`with ${JSON.stringify(headers)} is ${fresh ? 'still good' : 'sent again'}`, () => {
      expect(isFresh(new Headers(headers), VERSION)).toBe(fresh);
    });
  }
});
