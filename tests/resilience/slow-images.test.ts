import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import sharp from 'sharp';
import {
  createBucket,
  listFiles,
  sendImage,
  signUp,
  uploadImage,
  waitForFile,
} from '../support/client/api.ts';
import { photo } from '../support/fixtures/make-media.ts';
import { type ServerProcess, startServerProcess } from '../support/server/server-process.ts';

const SLOW_SIZES = [500, 700, 900, 1100, 1300, 1500, 1700, 1900, 2100, 2300, 2500, 2700];

/** Returns a small PNG that takes seconds to decode: every row has to be unpacked, whatever is asked for. */
async function slowImage(): Promise<File> {
  const png = await sharp({
    create: { width: 9900, height: 9900, channels: 4, background: '#4568' },
  })
    .png({ compressionLevel: 9 })
    .toBuffer();
  return new File([png], 'slow.png');
}

describe('a stranger’s photo', () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServerProcess({ isQuick: true });
  });
  afterAll(() => server?.stop());

  const newBucket = async () => createBucket(server, (await signUp(server)).token);
  const strangersPhoto = async () =>
    uploadImage(server, await newBucket(), new File([(await photo()) as never], 'photo.jpg'));

  test('is done after a few of the generated images that wait', async () => {
    const bytes = await slowImage();
    let settled = 0;
    const leaving = new AbortController();
    const requests: Promise<void>[] = [];
    for (let n = 0; n < 3; n += 1) {
      const { url } = await uploadImage(server, await newBucket(), bytes);
      for (const width of SLOW_SIZES) {
        const address = `${url}?width=${width}&format=avif&quality=100`;
        const request = fetch(address, { signal: leaving.signal })
          .catch(() => {})
          .then(() => {
            settled += 1;
          });
        requests.push(request);
      }
    }
    const before = settled;
    await strangersPhoto();
    expect(settled - before).toBeLessThanOrEqual(8);
    expect(settled).toBeLessThan(requests.length);
    leaving.abort();
    await Promise.all(requests);
  });

  test('is done before the first of the slow uploads of another account', async () => {
    const bytes = await slowImage();
    const bucket = await newBucket();
    const slow = [];
    for (let n = 0; n < 6; n += 1)
      slow.push(await sendImage(server, bucket, bytes, { webp: true }));
    await strangersPhoto();
    const { data } = await listFiles(server, bucket);
    expect(data.map(({ status }) => status)).toEqual(slow.map(() => 'processing'));
    // They go on in the background.
    const first = slow[0]?.id ?? '';
    expect((await waitForFile(server, bucket, first)).status).toBe('success');
  });
});
