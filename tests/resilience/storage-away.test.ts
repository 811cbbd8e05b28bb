import { expect, test } from 'bun:test';
import { MINUTE } from '../../server/contract/limits.ts';
import { storageFull } from '../../server/errors.ts';
import { sendFile, waitForFile } from '../support/client/api.ts';
import { until } from '../support/client/wait.ts';
import { photo } from '../support/fixtures/make-media.ts';
import { sharedBucketInProcess } from '../support/server/in-process-server.ts';

let now = Date.now();
const { server, bucket } = await sharedBucketInProcess({}, { clock: () => now });

const send = async () => (await sendFile(server, bucket, 'image', {}, await photo(), 'a.jpg')).id;

/** Moves the clock until `done` has counted enough retries. */
async function tries(count: number, done: () => number) {
  for (let i = 1; i <= count; i += 1) {
    await until(async () => done() >= i);
    // The end of a job is written after its last attempt was counted.
    await until(async () => {
      const { db } = server;
      const running = await db
        .selectFrom('jobs')
        .select('id')
        .where('state', '=', 'running')
        .execute();
      return running.length === 0;
    });
    now += MINUTE * 10;
    server.services.queue.poll();
  }
}

test('a file waits for a storage that is away longer than all its attempts, and is made then', async () => {
  const { media, objects } = server.services;
  const real = { run: media.run, check: objects.check };
  let failures = 0;
  media.run = async () => {
    failures += 1;
    throw new Error('the storage does not answer');
  };
  objects.check = async () => {
    throw new Error('the storage does not answer');
  };
  const id = await send();
  await tries(8, () => failures);
  Object.assign(media, { run: real.run });
  Object.assign(objects, { check: real.check });
  server.services.queue.poll();
  expect(await waitForFile(server, bucket, id)).toMatchObject({ status: 'success' });
});

test('a file waits for a disk that is full longer than all its attempts, and is made then', async () => {
  const { media, diskReserve } = server.services;
  const real = { run: media.run, require: diskReserve.require };
  let failures = 0;
  let isFull = false;
  media.run = async () => {
    failures += 1;
    isFull = true;
    throw new Error("The server's disk is full.");
  };
  // It is full until the processing has failed, as a file that fills it by itself leaves room then.
  diskReserve.require = async () => {
    if (!isFull) return;
    isFull = false;
    throw storageFull();
  };
  const id = await send();
  await tries(8, () => failures);
  Object.assign(media, { run: real.run });
  Object.assign(diskReserve, { require: real.require });
  server.services.queue.poll();
  expect(await waitForFile(server, bucket, id)).toMatchObject({ status: 'success' });
});

test('what fails while the storage is there is given up after five attempts', async () => {
  const { media } = server.services;
  const { run } = media;
  let failures = 0;
  media.run = async () => {
    failures += 1;
    throw new Error('a bug of ours');
  };
  const id = await send();
  await tries(5, () => failures);
  media.run = run;
  expect(await waitForFile(server, bucket, id)).toMatchObject({ status: 'error' });
  expect(failures).toBe(5);
});
