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

/** Returns a small PNG whose side is so many pixels: every row has to be unpacked, whatever is asked for. */
async function largeImage(side: number): Promise<File> {
  const png = await sharp({
    create: { width: side, height: side, channels: 4, background: '#4568' },
  })
    .png({ compressionLevel: 9 })
    .toBuffer();
  return new File([png], 'slow.png');
}

/** It takes longer than the time after which an image is slow, on a fast machine too. */
const slowImage = () => largeImage(8000);

/** Returns an SVG of 4 KB that takes minutes to draw. */
async function slowDrawing(): Promise<File> {
  const filter = '<filter id="f"><feTurbulence baseFrequency=".9" numOctaves="8"/></filter>';
  const boxes = '<rect width="100%" height="100%"/>'.repeat(99);
  const content = `<style>rect{filter:url(#f)}</style>${filter}${boxes}`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="4096" height="4096">${content}</svg>`;
  return new File([svg], 'slow.svg');
}

describe('a stranger’s photo', () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServerProcess({ isQuick: true });
  });
  afterAll(() => server?.stop());

  const newBucket = async () => createBucket(server, (await signUp(server)).token);
  /** Signs up a stranger. Returns the function that uploads their photo and waits until it is done. */
  const stranger = async () => {
    const bucket = await newBucket();
    const file = new File([(await photo()) as never], 'photo.jpg');
    return { uploadPhoto: () => uploadImage(server, bucket, file) };
  };

  test('is done after a few of the generated images that wait', async () => {
    const bytes = await largeImage(5600);
    const { uploadPhoto } = await stranger();
    let settled = 0;
    const leaving = new AbortController();
    const requests: Promise<void>[] = [];
    for (let n = 0; n < 3; n += 1) {
      const { url } = await uploadImage(server, await newBucket(), bytes);
      for (const width of SLOW_SIZES) {
        const address = `${url}?width=${width}&format=avif`;
        const request = fetch(address, { signal: leaving.signal })
          .catch(() => {})
          .then(() => {
            settled += 1;
          });
        requests.push(request);
      }
    }
    const before = settled;
    await uploadPhoto();
    // In the order of arrival it would be all of them.
    expect(settled - before).toBeLessThanOrEqual(requests.length / 3);
    expect(settled).toBeLessThan(requests.length);
    leaving.abort();
    await Promise.all(requests);
  });

  test.each<[string, () => Promise<File>, 'success' | 'error']>([
    ['images', slowImage, 'success'],
    ['drawings', slowDrawing, 'error'],
  ])('is done before the slow %s of another account that wait', async (_kind, make, end) => {
    const bytes = await make();
    const bucket = await newBucket();
    const { uploadPhoto } = await stranger();
    const slow = [];
    for (let n = 0; n < 6; n += 1)
      slow.push(await sendImage(server, bucket, bytes, { webp: true }));
    await uploadPhoto();
    const { data } = await listFiles(server, bucket);
    expect(data).toHaveLength(slow.length);
    // A fast machine may have been done with the two that it had begun.
    const done = data.filter(({ status }) => status !== 'processing');
    expect(done.length).toBeLessThanOrEqual(2);
    // They go on in the background.
    const first = slow[0]?.id ?? '';
    expect((await waitForFile(server, bucket, first)).status).toBe(end);
    // The next test would wait for the others.
    const headers = { 'x-api-key': bucket.api_key };
    for (const { id } of slow) {
      const url = `${server.url}/files/${bucket.id}/${id}`;
      expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(204);
    }
  });
});
