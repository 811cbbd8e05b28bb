import { afterAll, expect, spyOn, test } from 'bun:test';
import { Failure } from '../../../server/contract/failure.ts';
import { sendFile, waitForFile } from '../../support/client/api.ts';
import { clip } from '../../support/fixtures/make-media.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

const { server, bucket } = await sharedBucketInProcess();
const { media } = server.services;
const encode = media.run.bind(media);
const LONG = { width: 256, height: 144 };
const { promise: gate, resolve: release } = Promise.withResolvers<void>();
const run = spyOn(media, 'run').mockImplementation(async (job, options) => {
  if (job.kind !== 'video') return encode(job, options);
  const isLong = job.resolutions[0]?.width === LONG.width;
  if (isLong && !job.isBackground) throw new Failure('It is long.', { retry: 'background' });
  if (isLong) await gate;
  // On a busy machine the short one looks long as well, and would be moved behind the other one.
  return encode({ ...job, isBackground: true }, options);
});
afterAll(() => run.mockRestore());

test('a long video is encoded in the background, where no other video waits for it', async () => {
  const bytes = await clip({ width: 320, height: 180, seconds: 1 });
  const send = (resolution: string) =>
    sendFile(server, bucket, 'video', { resolution }, bytes, 'clip.mp4');
  const long = await send(`${LONG.width}x${LONG.height}`);
  const short = await send('320x180');
  expect(await waitForFile(server, bucket, short.id)).toMatchObject({ status: 'success' });
  release();
  expect(await waitForFile(server, bucket, long.id)).toMatchObject({ status: 'success', ...LONG });
});
