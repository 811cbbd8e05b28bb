import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { KIB, MIB } from '../../../contract/limits.ts';
import { CHECKSUM_ALGORITHMS } from '../checksums/algorithms.ts';
import { checksumHeader } from '../checksums/declared-checksums.ts';
import { createHasher } from '../checksums/hasher.ts';
import { S3Error } from '../errors.ts';
import { objectContentEncoding } from './content-encoding.ts';
import { receivePayload } from './receive-payload.ts';
import { deriveSigningKey } from './signing-key.ts';
import { chunkedBody } from './testing/chunked-body.ts';
import { senderOf, streamOf } from './testing/example-key.ts';
import type { ChunkSigning, Payload } from './types.ts';

const CONTENT = Buffer.from(Array.from({ length: 20 * KIB }, (_, n) => (n * 7) % 251));
const SIGNING: ChunkSigning = {
  seed: 'f'.repeat(64),
  signingKey: deriveSigningKey('secret', { date: '20261128', region: 'us-east-1' }),
  timestamp: '20261128T000000Z',
  scope: '20261128/us-east-1/s3/aws4_request',
};
const CHUNKS = [CONTENT.subarray(0, 16 * KIB), CONTENT.subarray(16 * KIB)];
const DECODED = { 'x-amz-decoded-content-length': String(CONTENT.length) };
const signed: Payload = { mode: 'chunked', hasTrailer: false, signing: SIGNING };
const signedTrailer: Payload = { ...signed, hasTrailer: true };
const unsignedTrailer: Payload = { ...signedTrailer, signing: null };

const digestOf = async (algorithm: Parameters<typeof createHasher>[0], bytes: Uint8Array) => {
  const hasher = await createHasher(algorithm);
  hasher.update(bytes);
  return (await hasher.digest()).toString('base64');
};

/** Returns what is stored of a body, or the code of the error with which its stream fails. */
async function receive(
  payload: Payload,
  body: Uint8Array,
  headers: Record<string, string> = {},
  options: { pieceBytes?: number; hasChecksumOfObject?: boolean } = {},
) {
  const { pieceBytes = 1000 } = options;
  const pieces = Array.from({ length: Math.ceil(body.length / pieceBytes) }, (_, n) =>
    body.subarray(n * pieceBytes, (n + 1) * pieceBytes),
  );
  try {
    const received = receivePayload(
      senderOf(payload),
      new Headers(headers),
      streamOf(pieces),
      options,
    );
    const stored = Buffer.from(await new Response(received.body).arrayBuffer());
    return { isWhole: stored.equals(CONTENT), checksum: received.checksum() };
  } catch (error) {
    expect(error).toBeInstanceOf(S3Error);
    return (error as S3Error).code;
  }
}
const WHOLE = { isWhole: true, checksum: null };
const length = { 'content-length': String(CONTENT.length) };

describe.each(CHECKSUM_ALGORITHMS)('the checksum %s', (algorithm) => {
  const header = checksumHeader(algorithm);
  const trailing = { ...DECODED, 'x-amz-trailer': header };

  test('of a header is verified and kept', async () => {
    const value = await digestOf(algorithm, CONTENT);
    const of = { ...length, [header]: value };
    const kept = { isWhole: true, checksum: { algorithm, value } };
    expect(await receive({ mode: 'unsigned' }, CONTENT, of)).toEqual(kept);
    const other = { ...length, [header]: await digestOf(algorithm, CONTENT.subarray(1)) };
    expect(await receive({ mode: 'unsigned' }, CONTENT, other)).toBe('BadDigest');
    for (const malformed of [
      '',
      'AAAA',
      value.slice(1),
      `${value.slice(0, -1)}*`,
      `${value}AAAA`,
    ]) {
      expect(await receive({ mode: 'unsigned' }, CONTENT, { ...length, [header]: malformed })).toBe(
        'InvalidRequest',
      );
    }
  });

  test.each([
    ['signed', signedTrailer],
    ['unsigned', unsignedTrailer],
  ] as const)('of a trailer that is %s is verified and kept', async (_, payload) => {
    const value = await digestOf(algorithm, CONTENT);
    const of = (trailers: [string, string][]) =>
      chunkedBody(CHUNKS, {
        signing: payload.mode === 'chunked' ? payload.signing : null,
        trailers,
      });
    const kept = { isWhole: true, checksum: { algorithm, value } };
    for (const pieceBytes of [1, 13, 100 * KIB]) {
      expect(await receive(payload, of([[header, value]]), trailing, { pieceBytes })).toEqual(kept);
    }
    const other = await digestOf(algorithm, CONTENT.subarray(1));
    expect(await receive(payload, of([[header, other]]), trailing)).toBe('BadDigest');
    expect(await receive(payload, of([]), trailing)).toBe('MalformedTrailerError');
    expect(await receive(payload, of([[header, value]]), DECODED)).toBe('MalformedTrailerError');
  });
});

test('checksums are those of the check values of their standards', async () => {
  const check = Buffer.from('123456789');
  expect(await digestOf('CRC32', check)).toBe(Buffer.from('cbf43926', 'hex').toString('base64'));
  expect(await digestOf('CRC32C', check)).toBe(Buffer.from('e3069283', 'hex').toString('base64'));
  const crc64 = Buffer.from('ae8b14860a799888', 'hex').toString('base64');
  expect(await digestOf('CRC64NVME', check)).toBe(crc64);
  for (const [algorithm, name] of [
    ['SHA1', 'sha1'],
    ['SHA256', 'sha256'],
    ['MD5', 'md5'],
  ] as const) {
    const expected = createHash(name).update(check).digest('base64');
    expect(await digestOf(algorithm, check)).toBe(expected);
  }
});

describe('a body', () => {
  test('with several trailers is verified against each of them', async () => {
    const names = ['CRC32', 'SHA256'] as const;
    const headers = { ...DECODED, 'x-amz-trailer': names.map(checksumHeader).join(',') };
    const trailers = async (of: Uint8Array): Promise<[string, string][]> => [
      ['x-amz-checksum-crc32', await digestOf('CRC32', CONTENT)],
      ['x-amz-checksum-sha256', await digestOf('SHA256', of)],
    ];
    const send = async (of: Uint8Array) => {
      const body = chunkedBody(CHUNKS, { signing: SIGNING, trailers: await trailers(of) });
      return receive(signedTrailer, body, headers);
    };
    expect(await send(CONTENT)).toMatchObject({ isWhole: true });
    expect(await send(CONTENT.subarray(1))).toBe('BadDigest');
  });

  test('with a signed hash is refused where the hash is of another one', async () => {
    const sha256 = createHash('sha256').update(CONTENT).digest('hex');
    expect(await receive({ mode: 'signed', sha256 }, CONTENT, length)).toEqual(WHOLE);
    expect(await receive({ mode: 'signed', sha256: 'a'.repeat(64) }, CONTENT, length)).toBe(
      'XAmzContentSHA256Mismatch',
    );
  });

  test('is verified against Content-MD5', async () => {
    const send = (md5: string) =>
      receive({ mode: 'unsigned' }, CONTENT, { ...length, 'content-md5': md5 });
    expect(await send(await digestOf('MD5', CONTENT))).toEqual(WHOLE);
    expect(await send(await digestOf('MD5', CONTENT.subarray(1)))).toBe('BadDigest');
    expect(await send('not Base64')).toBe('InvalidDigest');
    expect(await send('')).toBe('InvalidDigest');
  });

  test('is refused where it is shorter or longer than it was said to be', async () => {
    for (const bytes of [CONTENT.length - 1, CONTENT.length + 1]) {
      const text = String(bytes);
      const plain = { 'content-length': text };
      expect(await receive({ mode: 'unsigned' }, CONTENT, plain)).toBe('IncompleteBody');
      const chunked = { 'x-amz-decoded-content-length': text };
      const body = chunkedBody(CHUNKS, { signing: SIGNING });
      expect(await receive(signed, body, chunked)).toBe('IncompleteBody');
    }
  });

  test('in chunks must say how long it is without them', async () => {
    const body = chunkedBody(CHUNKS, { signing: SIGNING });
    expect(await receive(signed, body, { 'content-length': '9' })).toBe('MissingContentLength');
    expect(await receive(signed, body, { 'x-amz-decoded-content-length': 'x' })).toBe(
      'InvalidArgument',
    );
  });

  test('in chunks is not stored as it is where the mode says that it has none', async () => {
    const headers = { ...length, ...DECODED, 'content-encoding': 'aws-chunked' };
    expect(await receive({ mode: 'unsigned' }, CONTENT, headers)).toBe('InvalidRequest');
  });

  test('with two checksums, an unknown trailer or one without a payload for it is refused', async () => {
    const two = { 'x-amz-checksum-crc32': 'AAAAAA==', 'x-amz-checksum-crc32c': 'AAAAAA==' };
    const trailer = { 'x-amz-trailer': 'x-amz-checksum-crc32' };
    const named = { 'x-amz-sdk-checksum-algorithm': 'SHA256' };
    for (const headers of [two, trailer, named, { 'x-amz-trailer': 'x-amz-meta-a' }]) {
      expect(await receive({ mode: 'unsigned' }, CONTENT, { ...length, ...headers })).toBe(
        'InvalidRequest',
      );
    }
  });

  test('is not compared with a checksum of another object', async () => {
    const headers = { ...length, 'x-amz-checksum-crc32': 'AAAAAA==' };
    const of = (hasChecksumOfObject: boolean) =>
      receive({ mode: 'unsigned' }, CONTENT, headers, { hasChecksumOfObject });
    expect(await of(false)).toBe('BadDigest');
    expect(await of(true)).toEqual(WHOLE);
  });

  test('is refused from where its key is gone', async () => {
    for (const livesFor of [0, 1, 20, 21]) {
      let checks = 0;
      const recheck = async () => {
        checks += 1;
        if (checks > livesFor) throw new S3Error('InvalidAccessKeyId', 'It is gone.');
      };
      const pieces = Array.from({ length: 20 }, (_, n) => CONTENT.subarray(n * KIB, (n + 1) * KIB));
      const sender = { payload: { mode: 'unsigned' } as const, recheck };
      const options = { checkIntervalMs: 0 };
      const received = receivePayload(sender, new Headers(length), streamOf(pieces), options);
      const stored = new Response(received.body).bytes();
      if (livesFor > pieces.length) expect(Buffer.from(await stored).equals(CONTENT)).toBe(true);
      else await expect(stored).rejects.toMatchObject({ code: 'InvalidAccessKeyId' });
    }
  });

  test('without bytes is verified too', async () => {
    const empty = receivePayload(
      senderOf({ mode: 'signed', sha256: createHash('sha256').digest('hex') }),
      new Headers(),
      null,
    );
    expect(await new Response(empty.body).text()).toBe('');
    const wrong = receivePayload(
      senderOf({ mode: 'signed', sha256: 'a'.repeat(64) }),
      new Headers(),
      null,
    );
    await expect(new Response(wrong.body).text()).rejects.toMatchObject({
      code: 'XAmzContentSHA256Mismatch',
    });
  });

  test('ends what it came from where it is refused or not wanted any more', async () => {
    const sources = { refused: 0, unwanted: 0 };
    const endless = (name: keyof typeof sources) =>
      new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(1000)),
        cancel: () => {
          sources[name] += 1;
        },
      });
    const headers = new Headers({ 'content-length': '5000' });
    const refused = receivePayload(senderOf({ mode: 'unsigned' }), headers, endless('refused'));
    await expect(new Response(refused.body).text()).rejects.toBeInstanceOf(S3Error);
    const unwanted = receivePayload(
      senderOf({ mode: 'unsigned' }),
      new Headers(),
      endless('unwanted'),
    );
    const reader = unwanted.body.getReader();
    await reader.read();
    await reader.cancel();
    expect(sources).toEqual({ refused: 1, unwanted: 1 });
  });
});

describe('chunks', () => {
  const body = chunkedBody(CHUNKS, { signing: SIGNING });

  test.each([1, 2, 80, 90, 8192, 100 * KIB])(
    'in pieces of %p bytes are joined',
    async (pieceBytes) => {
      expect(await receive(signed, body, DECODED, { pieceBytes })).toEqual(WHOLE);
    },
  );

  test('may lack the last line break', async () => {
    expect(await receive(signed, body.subarray(0, -2), DECODED)).toEqual(WHOLE);
  });

  test('are refused where any byte of them is another', async () => {
    for (let at = 0; at < body.length; at += 97) {
      const changed = Buffer.from(body);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(await receive(signed, changed, DECODED)).toBeString();
    }
  });

  test('are refused where they end too early', async () => {
    for (let bytes = 0; bytes < body.length - 2; bytes += 101) {
      expect(await receive(signed, body.subarray(0, bytes), DECODED)).toBeString();
    }
  });

  test('are refused where bytes follow, or where chunks are swapped, missing or repeated', async () => {
    const [first, second] = [body.subarray(0, 16 * KIB + 89), body.subarray(16 * KIB + 89)];
    expect(first.subarray(-2).toString()).toBe('\r\n');
    for (const parts of [
      [body, Buffer.from('x\r\n')],
      [body, body],
      [second, first],
      [first, first, second],
      [second],
    ]) {
      expect(await receive(signed, Buffer.concat(parts), DECODED)).toBeString();
    }
  });

  test('without signatures are refused where the request says that they have some, and the other way round', async () => {
    const unsigned = chunkedBody(CHUNKS, { signing: null, trailers: [] });
    expect(await receive(signed, unsigned, DECODED)).toBe('IncompleteBody');
    expect(await receive(unsignedTrailer, body, DECODED)).toBe('IncompleteBody');
    expect(await receive(unsignedTrailer, unsigned, DECODED)).toEqual(WHOLE);
  });

  test('of less than 8 KiB can only be the last ones', async () => {
    const small = [CONTENT.subarray(0, 10), CONTENT.subarray(10)];
    const sent = chunkedBody(small, { signing: null, trailers: [] });
    expect(await receive(unsignedTrailer, sent, DECODED)).toBe('InvalidChunkSizeError');
  });

  test.each([
    'zz\r\n',
    '-1\r\n',
    '\r\n',
    `${'f'.repeat(20)}\r\n`,
    `1;chunk-signature=${'a'.repeat(10_000)}`,
    'a'.repeat(10_000),
    '5;x=y\r\n',
  ])('with the header %.30p are refused', async (text) => {
    expect(await receive(unsignedTrailer, Buffer.from(text), DECODED)).toBe('IncompleteBody');
  });

  test('with a line of trailers that never ends, or with too many, are refused', async () => {
    const start = '0\r\n';
    const many = Array.from({ length: 100 }, (_, n) => `x-${n}:y\r\n`).join('');
    for (const rest of [`x-amz-checksum-crc32:${'A'.repeat(MIB)}`, many, ':a\r\n', 'abc\r\n']) {
      expect(await receive(unsignedTrailer, Buffer.from(start + rest), DECODED)).toBeString();
    }
  });
});

test.each([
  ['aws-chunked', null],
  ['aws-chunked,gzip', 'gzip'],
  ['gzip, aws-chunked', 'gzip'],
  ['gzip', 'gzip'],
  ['deflate, gzip', 'deflate, gzip'],
  ['', null],
])('an object that is sent as %p has the coding %p', (sent, expected) => {
  expect(objectContentEncoding(new Headers({ 'content-encoding': sent }))).toBe(expected);
});
