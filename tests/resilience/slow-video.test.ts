import { expect, test } from 'bun:test';
import { createBucket, sendFile, signUp, waitForFile } from '../support/client/api.ts';
import { until } from '../support/client/wait.ts';
import { clip } from '../support/fixtures/make-media.ts';
import { repeatedFrame } from '../support/fixtures/repeated-frame.ts';
import { sharedBucketInProcess } from '../support/server/in-process-server.ts';

/** Five minutes, which take more than an hour: a stranger who waits for them waits in vain. */
const FRAMES = 9000;

const { server, bucket } = await sharedBucketInProcess();

const jobOf = (fileId: string) =>
  server.db
    .selectFrom('jobs')
    .select(['kind', 'state', 'attempts'])
    .where('subject', '=', fileId)
    .executeTakeFirstOrThrow();

test('a video that takes far longer than it declares leaves the encoder to others', async () => {
  const stranger = await createBucket(server, (await signUp(server)).token);
  const short = await clip({ seconds: 2 });
  const slow = await repeatedFrame(FRAMES);
  const { id } = await sendFile(server, bucket, 'video', {}, slow, 'frame.mov');
  await until(async () => (await jobOf(id)).state === 'running');
  expect((await jobOf(id)).kind).toBe('video');

  const sent = await sendFile(server, stranger, 'video', {}, short, 'clip.mp4');
  expect((await waitForFile(server, stranger, sent.id)).status).toBe('success');
  await until(async () => (await jobOf(id)).state === 'running');
  expect(await jobOf(id)).toEqual({ kind: 'background-video', state: 'running', attempts: 1 });
});
