import { describe, expect, test } from 'bun:test';
import { createHash, createHmac } from 'node:crypto';
import { S3RequestPresigner } from '@aws-sdk/s3-request-presigner';
import { SignatureV4 } from '@smithy/signature-v4';
import { seeded } from '../../../../media/testing/mutations.ts';
import { rounds } from '../../../../tests/support/fixtures/torture.ts';
import { authenticate } from './authenticate.ts';
import { ACCESS_KEY_ID, exampleDeps, NOW, SECRET } from './testing/example-key.ts';
import type { SignedRequest } from './types.ts';

class Sha256 {
  private readonly hash;
  constructor(secret?: string | Uint8Array) {
    this.hash = secret ? createHmac('sha256', secret) : createHash('sha256');
  }
  update(data: Uint8Array | string) {
    this.hash.update(data);
  }
  async digest() {
    return new Uint8Array(this.hash.digest());
  }
  reset() {}
}

const options = (region: string) => ({
  service: 's3',
  region,
  credentials: { accessKeyId: ACCESS_KEY_ID, secretAccessKey: SECRET },
  sha256: Sha256 as never,
  uriEscapePath: false,
});
const signer = (region: string) => new SignatureV4(options(region));
const presigner = new S3RequestPresigner(options('eu-west-1'));

const random = seeded(49);
const below = (count: number) => Math.floor(random() * count);
const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
const CHARS = [...'aZ09-._~/ +%?&=#@:;,!$\'()*"<>[]\\^`{|}üß新😀\t'];
const text = (max: number) => Array.from({ length: below(max) }, () => pick(CHARS)).join('');
/** As clients escape keys: everything but what RFC 3986 reserves for nothing. */
const escaped = (value: string) =>
  encodeURIComponent(value).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** A request as a client builds it, of which no segment of the path consists of dots. */
function randomRequest() {
  const segments = Array.from({ length: 1 + below(4) }, () => `k${text(8).replaceAll('/', '')}`);
  const query = Object.fromEntries(
    Array.from({ length: below(5) }, () => [`q${text(5)}`, text(8)]),
  );
  const headers: Record<string, string> = {
    host: pick(['s3.example.com', 'localhost:9000', 'b.s3.example.com']),
    'x-amz-content-sha256': pick(['UNSIGNED-PAYLOAD', 'a'.repeat(64)]),
    ...(random() < 0.5 && { 'x-amz-meta-note': `a  b${below(9)}   c` }),
    ...(random() < 0.5 && { range: `bytes=0-${below(99)}` }),
    ...(random() < 0.5 && { 'content-type': 'text/plain; charset=utf-8' }),
  };
  const path = `/${segments.map(escaped).join('/')}`;
  return { method: pick(['GET', 'PUT', 'DELETE', 'HEAD']), path, query, headers };
}
type Built = ReturnType<typeof randomRequest>;

const sent = ({ method, path, query, headers }: Built): SignedRequest => ({
  method,
  rawPath: path,
  rawQuery: Object.entries(query)
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .join('&'),
  headers: new Headers(headers),
});

const toSign = (built: Built) => ({
  ...built,
  protocol: 'https:',
  hostname: built.headers.host ?? '',
});

/** Returns the code of the refusal of a request; null where it is authenticated. */
const refusal = (request: SignedRequest): Promise<string | null> =>
  authenticate(exampleDeps(), request, NOW).then(
    (caller) => (caller.kind === 'key' ? null : 'anonymous'),
    (error) => error.code,
  );

const ROUNDS = Array.from({ length: rounds(2000, 150) }, (_, round) => round);

describe('a request that the SDK of AWS signs', () => {
  test('is authenticated, and is not with anything changed', async () => {
    for (const round of ROUNDS) {
      const built = randomRequest();
      const region = pick(['us-east-1', 'eu-central-1', 'US', 'auto']);
      const signed = (await signer(region).sign(toSign(built) as never, {
        signingDate: new Date(NOW),
      })) as unknown as Built;
      const request = sent({ ...built, headers: signed.headers });
      expect([round, await refusal(request)]).toEqual([round, null]);
      const changed: SignedRequest[] = [
        { ...request, method: 'POST' },
        { ...request, rawPath: `${request.rawPath}x` },
        { ...request, rawQuery: `${request.rawQuery}&versions=` },
        { ...request, headers: new Headers([...request.headers, ['x-amz-acl', 'public-read']]) },
        withHeader(request, 'host', 'other.example.com'),
        withHeader(request, 'x-amz-content-sha256', 'b'.repeat(64)),
      ];
      for (const other of changed) {
        expect(['SignatureDoesNotMatch', 'AccessDenied']).toContain((await refusal(other)) ?? '');
      }
    }
  });

  test('is authenticated as a presigned URL', async () => {
    for (const round of ROUNDS) {
      const { 'x-amz-content-sha256': _, ...headers } = randomRequest().headers;
      const built = { ...randomRequest(), headers: headers as Built['headers'] };
      const signed = (await presigner.presign(toSign(built) as never, {
        signingDate: new Date(NOW),
        expiresIn: 60,
      })) as unknown as Built;
      // Headers such as x-amz-meta-note have become a part of the query.
      const request = sent({ ...built, query: signed.query, headers: signed.headers });
      expect([round, await refusal(request)]).toEqual([round, null]);
      const longer = request.rawQuery.replace('Expires=60', 'Expires=61');
      expect(await refusal({ ...request, rawQuery: longer })).toBe('SignatureDoesNotMatch');
      expect(await refusal({ ...request, method: 'POST' })).toBe('SignatureDoesNotMatch');
    }
  });
});

function withHeader(request: SignedRequest, name: string, value: string): SignedRequest {
  const headers = new Headers(request.headers);
  headers.set(name, value);
  return { ...request, headers };
}
