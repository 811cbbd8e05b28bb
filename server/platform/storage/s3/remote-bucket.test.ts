import { afterAll, describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { GuardOptions } from '../../outbound/guarded-response.ts';
import { RemoteBucketError } from '../remote-bucket.ts';
import { openRemoteBucket } from './remote-bucket.ts';

/* An S3 server that somebody chose, and that does what it likes. */

const NEVER = new AbortController().signal;
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function hostile(
  answer: (response: ServerResponse, request: IncomingMessage) => void,
  guard: Partial<GuardOptions> = {},
) {
  const requested: string[] = [];
  const server = createServer((request, response) => {
    requested.push(request.url ?? '');
    response.on('error', () => {});
    answer(response, request);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const bucket = openRemoteBucket(
    {
      ...{ endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', bucket: 'photos' },
      ...{ accessKeyId: 'key', secretAccessKey: 'secret' },
    },
    { allowPrivate: true, resolve: async () => ['127.0.0.1'], ...guard },
  );
  return {
    requested,
    bucket,
    list: () => bucket.list({ prefix: '', after: '' }, { signal: NEVER }),
  };
}

const page = (contents: string, more = '') =>
  `<?xml version="1.0"?><ListBucketResult>${more}<IsTruncated>false</IsTruncated>${contents}</ListBucketResult>`;
const entry = (key: string) =>
  `<Contents><Key>${key}</Key><Size>1</Size><ETag>"abc"</ETag></Contents>`;

/** Returns of which kind a failure is, and its sentence. */
const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error) => (error instanceof RemoteBucketError ? [error.kind, error.message] : error),
  );

describe('a list of another server', () => {
  test('has its keys decoded where they are encoded, and as they are where they are not', async () => {
    const encoded = await hostile((response) =>
      response.end(page(entry('a%2Bb+c%0A'), '<EncodingType>url</EncodingType>')),
    );
    expect((await encoded.list()).entries.map(({ key }) => key)).toEqual(['a+b c\n']);
    const plain = await hostile((response) => response.end(page(entry('a%2Bb+c'))));
    expect((await plain.list()).entries.map(({ key }) => key)).toEqual(['a%2Bb+c']);
  });

  test('is not followed to where it redirects, and its server is asked again only where that may help', async () => {
    const secret = await hostile((response) => response.end(page('')));
    const moved = await hostile((response) => {
      response.writeHead(301, { location: `http://127.0.0.1/${secret.requested}` }).end();
    });
    expect(await failure(moved.list())).toEqual(['refused', 'The bucket is in another region.']);
    expect(secret.requested).toEqual([]);
    const denied = await hostile((response) => response.writeHead(403).end());
    expect(await failure(denied.list())).toEqual([
      'refused',
      'The S3 server refused the access key, or the key may not read this.',
    ]);
    expect([moved.requested.length, denied.requested.length]).toEqual([1, 1]);
    const away = await hostile((response) => response.writeHead(503).end());
    expect(await failure(away.list())).toEqual([
      'unavailable',
      'The S3 server responded with 503.',
    ]);
    expect(away.requested).toHaveLength(3);
  });

  test('without end is left after some MiB', async () => {
    const endless = await hostile((response) => {
      const piece = entry('k').repeat(10_000);
      const pump = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.write('<?xml version="1.0"?><ListBucketResult>');
      response.on('drain', pump);
      pump();
    });
    const [kind] = (await failure(endless.list())) as string[];
    expect(kind).toBeOneOf(['unavailable', 'refused']);
  }, 600_000);

  test('that expands is not expanded', async () => {
    const entities = Array.from(
      { length: 20 },
      (_, n) => `<!ENTITY a${n + 1} "&a${n};&a${n};&a${n};&a${n};">`,
    ).join('');
    const bomb = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "lol">${entities}]><ListBucketResult><Contents><Key>&a20;</Key></Contents></ListBucketResult>`;
    const xml = await hostile((response) => response.end(bomb));
    const outcome = await xml.list().catch((error) => error);
    if (outcome instanceof Error) expect(outcome).toBeInstanceOf(RemoteBucketError);
    else expect(outcome.entries[0].key.length).toBeLessThan(1000);
    const packed = await hostile((response) => {
      const body = gzipSync(Buffer.alloc(1_000_000, 'a'));
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(body);
    });
    const unpacked = await packed.list().catch((error) => error);
    if (unpacked instanceof Error) expect(unpacked).toBeInstanceOf(RemoteBucketError);
    else expect(unpacked.entries).toEqual([]);
  });

  test('that does not come is not waited for', async () => {
    const silent = await hostile(() => {}, { stallMs: 50 });
    expect(await failure(silent.list())).toEqual(['unavailable', 'The server stopped sending.']);
  });
});

describe('an object of another server', () => {
  const small = { key: 'a', size: 9, etag: 'abc' };
  const read = async ({ bucket }: Awaited<ReturnType<typeof hostile>>) => {
    const { body } = await bucket.open(small, NEVER);
    let text = '';
    for await (const bytes of body) text += Buffer.from(bytes);
    return text;
  };

  test('is asked for by its whole key, and only as it was listed', async () => {
    let match: string | undefined;
    const { bucket, requested } = await hostile((response, request) => {
      match = request.headers['if-match'];
      response.end('bytes');
    });
    const object = await bucket.open({ ...small, key: `a//b ü+'(1)*.txt` }, NEVER);
    object.close();
    expect(requested[0]).toStartWith('/photos/a//b%20%C3%BC%2B%27%281%29%2A.txt?');
    expect(match).toBe('"abc"');
  });

  test('that is cut off or stalls is none', async () => {
    const cut = await hostile((response) => {
      response.writeHead(200, { 'content-length': 9 });
      response.write('hello', () => response.destroy());
    });
    expect(await failure(read(cut))).toEqual([
      'unavailable',
      'The connection was closed before the whole file arrived.',
    ]);
    const slow = await hostile(
      (response) => {
        response.writeHead(200, { 'content-length': 9 }).write('hello');
      },
      { stallMs: 50 },
    );
    expect(await failure(read(slow))).toEqual(['unavailable', 'The server stopped sending.']);
  });

  test('has the size that its bytes are sent with, and none that is only said', async () => {
    const sizeOf = async (headers: Record<string, string | number>) => {
      const { bucket } = await hostile((response) => response.writeHead(200, headers).end('bytes'));
      const object = await bucket.open(small, NEVER);
      object.close();
      return object.size;
    };
    expect(await sizeOf({ 'content-length': 5 })).toBe(5);
    expect(await sizeOf({ 'transfer-encoding': 'chunked' })).toBe(null);
  });

  test('has an MD5 only where its ETag is one', async () => {
    const md5Of = async (etag: string, headers: Record<string, string> = {}) => {
      const { bucket } = await hostile((response) => response.writeHead(200, headers).end('a'));
      const object = await bucket.open({ ...small, etag }, NEVER);
      object.close();
      return object.md5;
    };
    const hex = 'd41d8cd98f00b204e9800998ecf8427e';
    expect(await md5Of(hex)).toBe(hex);
    expect(await md5Of(`${hex}-2`)).toBe(null);
    expect(await md5Of('')).toBe(null);
    expect(await md5Of(hex, { 'x-amz-server-side-encryption': 'aws:kms' })).toBe(null);
    expect(await md5Of(hex, { 'x-amz-server-side-encryption': 'AES256' })).toBe(hex);
  });
});
