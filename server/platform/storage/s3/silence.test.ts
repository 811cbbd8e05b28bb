import { afterAll, expect, test } from 'bun:test';
import { isUnavailable } from '../../../errors.ts';
import { s3Bucket } from './client.ts';
import { pagesBelow } from './list-and-delete.ts';
import { upload } from './put.ts';

let taken = 0;
/** Takes connections and all that is sent, and never says a word. */
const silent = Bun.listen({
  hostname: '127.0.0.1',
  port: 0,
  socket: {
    open() {
      taken += 1;
    },
    data() {},
  },
});
afterAll(() => silent.stop(true));

const patience = { attempts: 10, silence: 200, answer: 400, all: 300 };
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
  { reading: patience, writing: patience },
);

async function failureOf(work: Promise<unknown>) {
  taken = 0;
  return work.catch((failure) => failure);
}

test('a server that takes connections and never answers holds a write for a moment, not for ten attempts', async () => {
  const body = new Blob([new Uint8Array(1000)]).stream();
  const error = await failureOf(upload(bucket, 'a/b', body));
  expect(isUnavailable(error)).toBe(true);
  expect(taken).toBeWithin(1, 5);
});

test('nor a read', async () => {
  const error = await failureOf(pagesBelow(bucket, 'a/').next());
  expect(isUnavailable(error)).toBe(true);
  expect(taken).toBeWithin(1, 5);
});
