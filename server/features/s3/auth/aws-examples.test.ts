import { describe, expect, test } from 'bun:test';
import { authenticate } from './authenticate.ts';
import { receivePayload } from './receive-payload.ts';
import {
  ACCESS_KEY_ID,
  authorizationOf,
  EMPTY_SHA256,
  exampleDeps,
  NOW,
  PRINCIPAL,
  requestTo,
  streamOf,
} from './testing/example-key.ts';
import type { SignedRequest } from './types.ts';

// The requests and signatures stand in "Signature Calculations for the Authorization Header" and in the pages about
// query parameters, chunked uploads and trailing headers of the Amazon S3 API Reference.
const HOST = 'examplebucket.s3.amazonaws.com';
const DATE = '20130524T000000Z';
const PUT_SHA256 = '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072';

const common = { host: HOST, 'x-amz-content-sha256': EMPTY_SHA256, 'x-amz-date': DATE };
const COMMON_NAMES = 'host;x-amz-content-sha256;x-amz-date';

const byHeader = (
  method: string,
  target: string,
  headers: Record<string, string>,
  ...signed: [names: string, signature: string]
) => requestTo(method, target, { ...headers, authorization: authorizationOf(...signed) });

const EXAMPLES: [string, SignedRequest][] = [
  [
    'GET of a range',
    byHeader(
      ...(['GET', '/test.txt', { ...common, range: 'bytes=0-9' }] as const),
      'host;range;x-amz-content-sha256;x-amz-date',
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ),
  ],
  [
    'PUT',
    byHeader(
      'PUT',
      '/test$file.text',
      {
        ...common,
        date: 'Fri, 24 May 2013 00:00:00 GMT',
        'x-amz-storage-class': 'REDUCED_REDUNDANCY',
        'x-amz-content-sha256': PUT_SHA256,
      },
      'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
      '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    ),
  ],
  [
    'GET of a lifecycle',
    byHeader(
      ...(['GET', '/?lifecycle', common, COMMON_NAMES] as const),
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    ),
  ],
  [
    'list of objects',
    byHeader(
      ...(['GET', '/?max-keys=2&prefix=J', common, COMMON_NAMES] as const),
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    ),
  ],
];

describe('the example of AWS', () => {
  test.each(EXAMPLES)('%s is authenticated', async (_, request) => {
    const caller = await authenticate(exampleDeps(), request, NOW);
    expect(caller).toMatchObject({ kind: 'key', proof: 'header', principal: PRINCIPAL });
  });

  test('presigned URL is authenticated', async () => {
    const request = requestTo(
      'GET',
      `/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${ACCESS_KEY_ID}%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=${DATE}&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404`,
      { host: HOST },
    );
    expect(await authenticate(exampleDeps(), request, NOW)).toMatchObject({
      kind: 'key',
      proof: 'presigned',
      principal: PRINCIPAL,
      payload: { mode: 'unsigned' },
    });
  });
});

const CHUNKED = {
  host: 's3.amazonaws.com',
  'x-amz-date': DATE,
  'x-amz-storage-class': 'REDUCED_REDUNDANCY',
  'content-encoding': 'aws-chunked',
  'x-amz-decoded-content-length': '66560',
};
const chunk = (size: number, signature: string) =>
  `${size.toString(16)};chunk-signature=${signature}\r\n${size > 0 ? `${'a'.repeat(size)}\r\n` : ''}`;

/** Returns what is stored of a chunked upload, in pieces of a size. */
async function upload(request: SignedRequest, text: string, pieceBytes: number) {
  const caller = await authenticate(exampleDeps(), request, NOW);
  if (caller.kind !== 'key') throw new Error('It was signed.');
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, n) =>
    bytes.subarray(n * pieceBytes, (n + 1) * pieceBytes),
  );
  const received = receivePayload(caller, request.headers, streamOf(pieces));
  return { stored: await new Response(received.body).text(), checksum: received.checksum() };
}

describe.each([7, 1000, 100_000])('the example of AWS in pieces of %p bytes', (pieceBytes) => {
  test('signed chunks are stored without their framing', async () => {
    const request = byHeader(
      'PUT',
      '/examplebucket/chunkObject.txt',
      {
        ...CHUNKED,
        'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
        'content-length': '66824',
      },
      'content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class',
      '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9',
    );
    const body = [
      chunk(65536, 'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648'),
      chunk(1024, '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497'),
      chunk(0, 'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9'),
      '\r\n',
    ].join('');
    expect(body.length).toBe(66824);
    const { stored } = await upload(request, body, pieceBytes);
    expect(stored).toBe('a'.repeat(66560));
  });

  const TRAILER_NAMES =
    'content-encoding;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class;x-amz-trailer';
  const trailing = byHeader(
    'PUT',
    '/examplebucket/chunkObject.txt',
    {
      ...CHUNKED,
      'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
      'x-amz-trailer': 'x-amz-checksum-crc32c',
    },
    TRAILER_NAMES,
    '106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e',
  );
  const trailingBody = (checksum: string) =>
    [
      chunk(65536, 'b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2'),
      chunk(1024, '1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7'),
      chunk(0, '2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992'),
      `x-amz-checksum-crc32c:${checksum}\r\n`,
      'x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n',
    ].join('');

  test('a signed trailer is verified', async () => {
    expect(await upload(trailing, trailingBody('sOO8/Q=='), pieceBytes)).toEqual({
      stored: 'a'.repeat(66560),
      checksum: { algorithm: 'CRC32C', value: 'sOO8/Q==' },
    });
  });

  test('another trailer than the signed one is refused', async () => {
    await expect(upload(trailing, trailingBody('sOO8/A=='), pieceBytes)).rejects.toMatchObject({
      code: 'SignatureDoesNotMatch',
    });
  });
});
