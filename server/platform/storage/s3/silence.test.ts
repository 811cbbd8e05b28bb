import { afterAll, expect, test } from 'bun:test';
import { isUnavailable } from '../../../errors.ts';
import { s3Bucket } from './client.ts';
import { listPages } from './list-and-delete.ts';
import { upload } from './put.ts';

let requests = 0;
/** This server accepts connections and all data, and never responds. */
const silent = Bun.listen({
  hostname: '127.0.0.1',
  port: 0,
  socket: {
    open() {
      requests += 1;
    },
    data() {},
  },
});
afterAll(() => silent.stop(true));

const limits = { attempts: 10, socketTimeoutMs: 200, responseTimeoutMs: 400, retryWindowMs: 300 };
const bucket = s3Bucket(
  {
    bucket: 'files',
    root: '',
    endpoint: `http://127.0.0.1:${silent.port}`,
    region: 'default',
    accessKeyId: 'key',
    secretAccessKey: 'very secret',
    sessionToken: null,
  },
  { reading: limits, writing: limits },
);

async function failureOf(work: Promise<unknown>) {
  requests = 0;
  return work.catch((failure) => failure);
}

test('a server that takes connections and never answers holds a write for a moment, not for ten attempts', async () => {
  const body = new Blob([new Uint8Array(1000)]).stream();
  const error = await failureOf(upload(bucket, 'a/b', body));
  expect(isUnavailable(error)).toBe(true);
  expect(requests).toBeWithin(1, 5);
});

test('nor a read', async () => {
  const error = await failureOf(listPages(bucket, 'a/').next());
  expect(isUnavailable(error)).toBe(true);
  expect(requests).toBeWithin(1, 5);
});
