import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import sharp from 'sharp';
import { MIB } from '../../server/contract/limits.ts';
import { createBucket, sendFile, signUp, uploadImage, waitForFile } from '../support/client/api.ts';
import { clip, photo } from '../support/fixtures/make-media.ts';
import { manySamples } from '../support/fixtures/repeated-frame.ts';
import { type ServerProcess, startServerProcess } from '../support/server/server-process.ts';

const TOO_MUCH = 'The image needs more memory than this server allows.';

/** Returns a TIFF of some KB with 36 megapixels. */
const largeTiff = (): Promise<Buffer> =>
  sharp({ create: { width: 6000, height: 6000, channels: 3, background: '#456' } })
    .tiff({ compression: 'deflate' })
    .toBuffer();

describe('on a machine of 768 MB', () => {
  let server: ServerProcess;
  beforeAll(async () => {
    const env = { MEDIA_MEMORY_BYTES: String(256 * MIB) };
    server = await startServerProcess({ isQuick: true, env });
  });
  afterAll(() => server?.stop());

  const newBucket = async () => createBucket(server, (await signUp(server)).token);

  test('files that need gigabytes are refused, and a stranger’s photo and clip are done', async () => {
    const [bucket, strangers] = [await newBucket(), await newBucket()];
    const image = await sendFile(server, bucket, 'image', {}, await largeTiff(), 'large.tiff');
    const samples = await manySamples(50_000_000);
    const video = await sendFile(server, bucket, 'video', {}, samples, 'samples.mov');

    await uploadImage(server, strangers, new File([(await photo()) as never], 'photo.jpg'));
    const short = await clip({ seconds: 2 });
    const sent = await sendFile(server, strangers, 'video', {}, short, 'clip.mp4');
    expect((await waitForFile(server, strangers, sent.id)).status).toBe('success');

    expect(await waitForFile(server, bucket, image.id)).toMatchObject({
      status: 'error',
      error: TOO_MUCH,
    });
    expect((await waitForFile(server, bucket, video.id)).status).toBe('error');
  });
});
