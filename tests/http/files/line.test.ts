import { afterAll, expect, test } from 'bun:test';
import { Failure } from '../../../server/contract/failure.ts';
import {
  createBucket,
  listFiles,
  sendFile,
  signUp,
  waitForFile,
} from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { startServerInProcess } from '../../support/server/in-process-server.ts';

const server = await startServerInProcess();
afterAll(() => server.stop());

test('files that wait tell their place in the line, until they are processed', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  let running = 0;
  server.services.media.run = async () => {
    running += 1;
    await gate;
    throw new Failure('It is over.', { retry: 'never' });
  };
  const bucket = await createBucket(server, (await signUp(server)).token);
  const send = async () => (await sendFile(server, bucket, 'image', {}, await photo(), 'a.jpg')).id;
  const ids = [await send(), await send()];
  await until(async () => running === 2);
  ids.push(await send(), await send());
  const places = async () => {
    const { data } = await listFiles(server, bucket);
    return ids.map((id) => data.find((file) => file.id === id)?.queue_position);
  };
  expect(await places()).toEqual([null, null, 1, 2]);
  open();
  for (const id of ids) await waitForFile(server, bucket, id).catch(() => {});
  await until(async () => running === 4);
  expect(await places()).toEqual([null, null, null, null]);
});
