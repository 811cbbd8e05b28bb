import { expect, test } from 'bun:test';
import { makeNonce, type Openings, pageHeaders, transportHeaders } from './csp.ts';

const directives = (nonce: string, openings?: Openings) =>
  new Map(
    pageHeaders(nonce, openings)
      ['content-security-policy'].split('; ')
      .map((part) => [part.slice(0, part.indexOf(' ')), part.slice(part.indexOf(' ') + 1)]),
  );

test('a page runs only scripts that carry its nonce', () => {
  const policy = directives('abc');
  expect(policy.get('default-src')).toBe("'none'");
  expect(policy.get('script-src')).toBe("'nonce-abc' 'strict-dynamic'");
});

test('nothing may be inline or evaluated, and no page of another site may frame it', () => {
  const policy = directives('abc');
  expect([...policy.values()].join(' ')).not.toContain('unsafe');
  expect(policy.get('frame-ancestors')).toBe("'none'");
  expect(policy.get('base-uri')).toBe("'none'");
});

test('a page that shows files may load them from their host, of any path, and run nothing of it', () => {
  const policy = directives('abc', {
    filesFrom: ['https://files.example/x', 'https://files.example/y'],
  });
  for (const name of ['img-src', 'media-src', 'connect-src']) {
    expect(policy.get(name)?.split(' ')).toContain('https://files.example');
  }
  expect(policy.get('script-src')).toBe("'nonce-abc' 'strict-dynamic'");
  expect(policy.get('style-src')).not.toContain('files.example');
  expect(policy.get('frame-ancestors')).toBe("'none'");
  expect(policy.has('frame-src')).toBe(false);
});

test('only where it is said may a page be framed by others, or frame ours', () => {
  expect(directives('abc', { framedByAnyone: true }).get('frame-ancestors')).toBe('*');
  expect(directives('abc', { framesOurs: true }).get('frame-src')).toBe("'self'");
});

test('a page tells other sites only its origin', () => {
  expect(pageHeaders('abc')['referrer-policy']).toBe('strict-origin');
});

test('browsers that came to any of our hosts by https use nothing else for a year', () => {
  const secure = { 'strict-transport-security': 'max-age=31536000' };
  expect(transportHeaders(['http://localhost:8080'])).toEqual({});
  expect(transportHeaders(['https://files.example.com'])).toEqual(secure);
  expect(transportHeaders(['http://10.0.0.1', 'https://cdn.example.com/cdn'])).toEqual(secure);
});

test('every nonce is new and holds 128 bits', () => {
  const nonces = new Set(Array.from({ length: 1000 }, makeNonce));
  expect(nonces.size).toBe(1000);
  for (const nonce of nonces) expect(Buffer.from(nonce, 'base64')).toHaveLength(16);
});
