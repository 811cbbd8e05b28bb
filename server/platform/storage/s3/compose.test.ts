import { afterAll, beforeEach, expect, test } from 'bun:test';
import { MIB } from '../../../contract/limits.ts';
import { bytes, read } from '../testing/streams.ts';
import { openS3Store } from './s3.ts';

/** What happened at the server, such as 'copy part 1 of a/1'. */
let requests: string[] = [];
let objects = new Map<string, Uint8Array>();
/** What the server answers to a request of some kind instead of doing it. */
let refusals: Record<string, () => Response> = {};

const xml = (text: string, status = 200) =>
  new Response(`<?xml version="1.0"?>${text}`, { status });
const fail = (status: number, code: string) => () =>
  xml(`<Error><Code>${code}</Code><Message>No.</Message></Error>`, status);

/** As much of an S3 server as composing needs, with a bucket called 'files'. */
const server = Bun.serve({
  port: 0,
  async fetch(request) {
    const url = new URL(request.url);
    const key = url.pathname.replace('/files/', '');
    const kind = kindOf(request.method, url, request.headers.has('x-amz-copy-source'));
    const number = url.searchParams.get('partNumber');
    const source = decodeURIComponent(request.headers.get('x-amz-copy-source') ?? '');
    const range = request.headers.get('x-amz-copy-source-range');
    const [from, text] = [source.replace('files/', ''), `${kind}${number ? ` ${number}` : ''}`];
    requests.push([text, from && `of ${from}`, range].filter(Boolean).join(' '));
    const body = await request.arrayBuffer();
    return refusals[kind]?.() ?? respond(kind, key, new Uint8Array(body), from);
  },
});
afterAll(() => server.stop(true));

function kindOf(method: string, { searchParams: query }: URL, isCopy: boolean): string {
  if (method === 'POST') return query.has('uploads') ? 'start' : 'complete';
  if (method === 'DELETE') return query.has('uploadId') ? 'abort' : 'delete';
  if (method !== 'PUT') return method.toLowerCase();
  return `${isCopy ? 'copy' : 'send'}${query.has('partNumber') ? ' part' : ''}`;
}

function respond(kind: string, key: string, body: Uint8Array, source: string): Response {
  const object = objects.get(key);
  const headers = { etag: '"1"', 'content-length': String(object?.length ?? 0) };
  switch (kind) {
    case 'start':
      return xml(
        '<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>',
      );
    case 'copy part':
      if (!objects.has(source)) return fail(404, 'NoSuchKey')();
      return xml('<CopyPartResult><ETag>"1"</ETag></CopyPartResult>');
    case 'complete':
      return xml('<CompleteMultipartUploadResult><ETag>"1"</ETag></CompleteMultipartUploadResult>');
    case 'get':
      return object
        ? new Response(new Blob([new Uint8Array(object)]), { headers })
        : fail(404, 'NoSuchKey')();
    case 'head':
      return new Response(null, object ? { headers } : { status: 404 });
    case 'send':
      objects.set(key, body);
      return new Response(null, { headers: { etag: '"1"' } });
    case 'copy':
      return xml('<CopyObjectResult><ETag>"1"</ETag></CopyObjectResult>');
    default:
      return new Response(null, { status: 204 });
  }
}

const open = () =>
  openS3Store({
    bucket: 'files',
    root: 'wharf/',
    endpoint: server.url.origin,
    region: 'default',
    accessKeyId: 'key',
    secretAccessKey: 'very secret',
    sessionToken: null,
  });

/** The sizes are only what the caller says, so that large objects need no bytes. */
const large = [
  { key: 'a/1', size: 5 * MIB },
  { key: 'a/2', size: 1024 * MIB + 2 },
  { key: 'a/3', size: 1 },
];

beforeEach(() => {
  requests = [];
  refusals = {};
  objects = new Map(large.map(({ key }) => [`wharf/${key}`, bytes(10)]));
});

test('large objects are composed by the server, a very large one in several parts', async () => {
  expect(await open().compose('to', large)).toEqual({ size: 1029 * MIB + 3 });
  const copies = requests.filter((text) => text.startsWith('copy')).sort();
  expect(copies).toEqual([
    'copy part 1 of wharf/a/1',
    'copy part 2 of wharf/a/2 bytes=0-357913941',
    'copy part 3 of wharf/a/2 bytes=357913942-715827883',
    'copy part 4 of wharf/a/2 bytes=715827884-1073741825',
    'copy part 5 of wharf/a/3',
  ]);
  expect(requests.filter((text) => !text.startsWith('copy'))).toEqual(['start', 'complete']);
});

test('a copy is one request', async () => {
  await open().copy('to', { key: 'a/1', size: 5 * MIB });
  expect(requests).toEqual(['copy of wharf/a/1']);
});

test.each([501, 405])(
  'a server that refuses such copies with %i is asked once, and sent the bytes',
  async (status) => {
    refusals = { 'copy part': fail(status, 'NotImplemented') };
    const [first = { key: '', size: 0 }] = large;
    const sources = [first, { key: 'a/3', size: 10 }];
    objects.set('wharf/a/1', bytes(first.size));
    refusals['send part'] = () => new Response(null, { headers: { etag: '"1"' } });
    const store = open();
    for (const _ of [1, 2])
      expect(await store.compose('to', sources)).toEqual({ size: first.size + 10 });
    expect(requests.filter((text) => text.startsWith('copy part 1'))).toHaveLength(1);
    expect(requests.filter((text) => text === 'abort')).toHaveLength(1);
    expect(requests.filter((text) => text.startsWith('send part'))).toHaveLength(4);
  },
);

test('an upload that fails is aborted', async () => {
  objects.delete('wharf/a/2');
  await expect(open().compose('to', large)).rejects.toMatchObject({ code: 'not-found' });
  expect(requests.at(-1)).toBe('abort');
  expect(requests).not.toContain('complete');
});

test('a lost response to the last request of a compose is no failure where the object is there', async () => {
  refusals = { complete: fail(404, 'NoSuchUpload') };
  const sources = [
    { key: 'a/1', size: 5 * MIB },
    { key: 'a/3', size: 1 },
  ];
  const failed = await open()
    .compose('to', sources)
    .catch((error) => error.name);
  expect(failed).toBe('NoSuchUpload');
  objects.set('wharf/to', new Uint8Array(5 * MIB + 1));
  expect(await open().compose('to', sources)).toEqual({ size: 5 * MIB + 1 });
});

test('an object whose size is known is read without another request', async () => {
  expect(await read(await open().open('a/1', { size: 10 }))).toEqual(bytes(10));
  expect(requests).toEqual(['get']);
  requests = [];
  await read(await open().open('a/1'));
  expect(requests).toEqual(['head', 'get']);
});
