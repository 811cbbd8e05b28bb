import { afterAll, beforeEach, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { openS3Store } from './s3.ts';

/** What the server does with a request that deletes several objects. */
let respond: (keys: string[]) => Response;
let requests: string[] = [];
let objects = new Set<string>();

const xml = (text: string, status = 200) =>
  new Response(`<?xml version="1.0"?>${text}`, { status });

/** As much of an S3 server as a deletion needs, with a bucket called 'files'. */
const server = Bun.serve({
  port: 0,
  async fetch(request) {
    const url = new URL(request.url);
    if (request.method === 'GET') {
      const listed = [...objects].map((key) => `<Contents><Key>${key}</Key></Contents>`);
      return xml(`<ListBucketResult>${listed.join('')}</ListBucketResult>`);
    }
    if (request.method === 'POST') {
      const body = await request.text();
      const digest = createHash('md5').update(body).digest('base64');
      expect(request.headers.get('content-md5')).toBe(digest);
      const keys = [...body.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key = '']) => key);
      requests.push(`${keys.length} together`);
      return respond(keys);
    }
    const key = url.pathname.replace('/files/', '');
    requests.push(key);
    objects.delete(key);
    return new Response(null, { status: 204 });
  },
});
afterAll(() => server.stop(true));

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

const three = () => new Set(['wharf/a/1', 'wharf/a/2', 'wharf/a/3']);
const deleteAll = (keys: string[]) => {
  for (const key of keys) objects.delete(key);
  return xml('<DeleteResult/>');
};

beforeEach(() => {
  requests = [];
  objects = three();
});

test('the objects below a prefix are deleted with one request', async () => {
  respond = deleteAll;
  expect(await open().deletePrefix('a/')).toBe(true);
  expect(requests).toEqual(['3 together']);
  expect(objects.size).toBe(0);
});

test('what one request did not delete is deleted one by one', async () => {
  respond = ([first = '', ...others]) => {
    deleteAll(others);
    return xml(
      `<DeleteResult><Error><Key>${first}</Key><Code>InternalError</Code></Error></DeleteResult>`,
    );
  };
  await open().deletePrefix('a/');
  expect(requests).toEqual(['3 together', 'wharf/a/1']);
  expect(objects.size).toBe(0);
});

test.each([501, 405, 400])(
  'a server that refuses such requests with %i is asked once',
  async (status) => {
    respond = () => xml('<Error><Code>NotImplemented</Code></Error>', status);
    const store = open();
    await store.deletePrefix('a/');
    objects = three();
    await store.deletePrefix('a/');
    expect(requests.filter((one) => one.endsWith('together'))).toHaveLength(1);
    expect(requests).toHaveLength(7);
    expect(objects.size).toBe(0);
  },
);
