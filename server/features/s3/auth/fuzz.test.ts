import { expect, test } from 'bun:test';
import { malformed, seeded } from '../../../../media/testing/mutations.ts';
import { rounds } from '../../../../tests/support/fixtures/torture.ts';
import { KIB, MIB } from '../../../contract/limits.ts';
import { S3Error } from '../errors.ts';
import { authenticate } from './authenticate.ts';
import { receivePayload } from './receive-payload.ts';
import { deriveSigningKey } from './signing-key.ts';
import { chunkedBody } from './testing/chunked-body.ts';
import { exampleDeps, NOW, senderOf, streamOf } from './testing/example-key.ts';
import { signRequest } from './testing/sign-request.ts';
import type { Payload, SignedRequest } from './types.ts';

const random = seeded(1049);
const below = (count: number) => Math.floor(random() * count);
const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;

/** What parsers look for, so that random texts get further than to the first check. */
const TOKENS = [
  ...['AWS4-HMAC-SHA256', 'Credential=', 'SignedHeaders=', 'Signature=', 'host', 'x-amz-date'],
  ...['X-Amz-Algorithm=', 'X-Amz-Signature=', 'X-Amz-Expires=', '20130524T000000Z', 'AWS '],
  ...['AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request', 'a'.repeat(64), '%', '%zz'],
  ...['%00', '%ff', '%C3%28', '&', '=', ';', ',', ' ', '/', '..', '+', '\u00ff', '\ud800', '😀'],
];
const text = (tokens: number) => Array.from({ length: below(tokens) }, () => pick(TOKENS)).join('');
/** As HTTP parsers hand out the value of a header. */
const headerValue = (tokens: number) => Buffer.from(text(tokens)).toString('latin1').trim();

/** Runs what must end with a result or with an S3Error. */
async function requireS3Error(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    expect(error.status).toBeWithin(400, 500);
  }
}

const ROUNDS = rounds(20_000, 1000);

test('random requests are anonymous or refused with an error of S3', async () => {
  for (let n = 0; n < ROUNDS; n += 1) {
    const request: SignedRequest = signRequest();
    const headers = new Headers(request.headers);
    for (const name of ['authorization', 'x-amz-date', 'date', 'x-amz-content-sha256', 'host']) {
      if (random() < 0.3) headers.set(name, headerValue(8));
    }
    const changed = {
      method: pick(['GET', 'PUT', '']),
      rawPath: random() < 0.5 ? `/${text(8)}` : request.rawPath,
      rawQuery: random() < 0.5 ? text(12) : '',
      headers,
    };
    await requireS3Error(async () => {
      const caller = await authenticate(exampleDeps(['s3.example.com']), changed, NOW);
      if (caller.kind === 'anonymous') return;
      // Only what is signed in full passes.
      expect(changed.headers.get('authorization')).toBe(request.headers.get('authorization'));
      expect([changed.rawPath, changed.rawQuery]).toEqual([request.rawPath, '']);
    });
  }
});

const signing = {
  seed: 'f'.repeat(64),
  signingKey: deriveSigningKey('secret', { date: '20261128', region: 'us-east-1' }),
  timestamp: '20261128T000000Z',
  scope: '20261128/us-east-1/s3/aws4_request',
};
const MODES: Payload[] = [
  { mode: 'chunked', hasTrailer: false, signing },
  { mode: 'chunked', hasTrailer: true, signing },
  { mode: 'chunked', hasTrailer: true, signing: null },
];
const CONTENT = Buffer.alloc(9 * KIB, 'c');
const CHECKSUM: [string, string] = [
  'x-amz-checksum-sha256',
  new Bun.CryptoHasher('sha256').update(CONTENT).digest('base64'),
];

function bodyOf(payload: Payload): Buffer {
  const of = payload.mode === 'chunked' ? payload : MODES[2];
  if (of?.mode !== 'chunked') throw new Error('It is in chunks.');
  return chunkedBody([CONTENT], {
    signing: of.signing,
    trailers: of.hasTrailer ? [CHECKSUM] : null,
  });
}

const read = async (payload: Payload, headers: Record<string, string>, body: Uint8Array) =>
  new Response(
    receivePayload(senderOf(payload), new Headers(headers), streamOf([body])).body,
  ).bytes();

const headersOf = (payload: Payload) => ({
  'x-amz-decoded-content-length': String(CONTENT.length),
  ...(payload.mode === 'chunked' &&
    payload.hasTrailer && { 'x-amz-trailer': 'x-amz-checksum-sha256' }),
});

test('damaged chunks are stored as they were sent, or refused with an error of S3', async () => {
  for (let n = 0; n < ROUNDS; n += 1) {
    const payload = pick(MODES);
    const body = malformed(bodyOf(payload), random);
    await requireS3Error(async () => {
      const stored = await read(payload, headersOf(payload), body);
      // Without a signature the checksum still tells that the bytes are the same.
      if (payload.mode === 'chunked' && (payload.hasTrailer || payload.signing)) {
        expect(Buffer.from(stored).equals(CONTENT)).toBe(true);
      }
    });
  }
});

test('random headers of a body are refused with an error of S3', async () => {
  const names = [
    ...['content-length', 'x-amz-decoded-content-length', 'content-md5', 'content-encoding'],
    ...['x-amz-checksum-crc32', 'x-amz-checksum-sha256', 'x-amz-trailer'],
    ...['x-amz-sdk-checksum-algorithm', 'x-amz-content-sha256'],
  ];
  const values = ['0', '9216', '-1', '1e9', '9'.repeat(20), 'aws-chunked', 'AAAAAA==', '\u00ff'];
  for (let n = 0; n < ROUNDS; n += 1) {
    const payload = pick<Payload>([...MODES, { mode: 'unsigned' }]);
    const chosen = names.filter(() => random() < 0.3);
    const headers = Object.fromEntries(
      chosen.map((name) => [name, random() < 0.7 ? pick(values) : headerValue(5)]),
    );
    await requireS3Error(() => read(payload, { ...headersOf(payload), ...headers }, CONTENT));
  }
});

/** With a parser that isn't linear, 2 MiB of such text stopped a server for minutes. */
test.each([60 * KIB, 2 * MIB])('%p bytes of what makes parsers slow are refused', async (bytes) => {
  const long = ['%', '%2', '/.', '&', '=', 'a=&', ' ', ',', ';', '%2e/', '\t '].map((part) =>
    part.repeat(bytes / part.length),
  );
  for (const value of long) {
    const header = value.trim() || 'a';
    const request = signRequest({ headers: { 'x-amz-meta-a': header } });
    const attempts: SignedRequest[] = [
      { ...request, rawPath: `/${value}` },
      { ...request, rawQuery: value },
      { ...request, rawQuery: `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-SignedHeaders=${value}` },
      request,
      ...['authorization', 'x-amz-content-sha256', 'x-amz-date', 'date'].map((name) => {
        const headers = new Headers(request.headers);
        headers.set(name, name === 'authorization' ? `AWS4-HMAC-SHA256 ${header}` : header);
        return { ...request, headers };
      }),
    ];
    for (const attempt of attempts) {
      await requireS3Error(() => authenticate(exampleDeps(['other']), attempt, NOW));
    }
    for (const payload of MODES) {
      await requireS3Error(() => read(payload, headersOf(payload), Buffer.from(value)));
    }
  }
});
