import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  createBucket,
  createToken,
  listFiles,
  signUp,
  uploadFile,
  waitForFile,
} from '../../support/client/api.ts';
import { clip, makePhoto } from '../../support/fixtures/make-media.ts';
import { isForBrowsers, samplesOf } from '../../support/guide/samples.ts';
import type { ServerProcess } from '../../support/server/server-process.ts';
import { expect, test } from '../fixtures.ts';
import { startSite } from '../support/sample-site.ts';

const FOLDER = fileURLToPath(new URL('../../../docs/guide/', import.meta.url));

/** Returns the only browser sample of a guide page, as the server renders it. */
async function browserSample(slug: string, { url }: ServerProcess): Promise<string> {
  const text = await readFile(`${FOLDER}${slug}.md`, 'utf8');
  const [sample, ...others] = samplesOf(text).filter(isForBrowsers);
  if (!sample || others.length > 0) throw new Error(`${slug} has not one sample for a browser.`);
  return sample.code.replaceAll('{APP_URL}', url);
}

test('no sample for a browser is left without a test', async () => {
  const pages: string[] = [];
  for (const name of (await readdir(FOLDER)).sort()) {
    const samples = samplesOf(await readFile(`${FOLDER}${name}`, 'utf8'));
    if (samples.some(isForBrowsers)) pages.push(name);
  }
  expect(pages).toEqual(['uploading.md', 'video-and-player.md']);
});

test('Uppy on another site uploads with a write token, as the guide has it', async ({
  page,
  server,
}) => {
  const { token } = await signUp(server);
  const bucket = await createBucket(server, token, 'Shop');
  const writeToken = await createToken(server, bucket, { scope: 'write' });
  const site = await startSite({
    markup: '<input type="file" multiple aria-label="Pictures">',
    code: await browserSample('uploading', server),
    responses: { '/upload-token': { bucket: bucket.id, token: writeToken } },
  });
  try {
    await page.goto(site.url, { waitUntil: 'networkidle' });
    const files = await Promise.all(
      ['one.jpg', 'two.jpg'].map(async (name, index) => ({
        name,
        mimeType: 'image/jpeg',
        buffer: await makePhoto({ width: 320 + index, height: 240 }),
      })),
    );
    await page.getByLabel('Pictures').setInputFiles(files);
    await expect(page).toHaveTitle('2 uploaded');
    const { data } = await listFiles(server, bucket);
    expect(data.map(({ name, access }) => `${name} ${access}`).sort()).toEqual([
      'one.jpg public',
      'two.jpg public',
    ]);
    for (const { id } of data) {
      expect((await waitForFile(server, bucket, id)).status).toBe('success');
    }
  } finally {
    await site.stop();
  }
});

test('hls.js on another site plays a video, as the guide has it', async ({ page, server }) => {
  const { token } = await signUp(server);
  const bucket = await createBucket(server, token, 'Films');
  const bytes = await clip({ width: 640, height: 360, seconds: 2 });
  const { url } = await uploadFile(
    server,
    bucket,
    'video',
    { access: 'public' },
    bytes,
    'clip.mp4',
  );
  const site = await startSite({
    markup: `<video controls muted loop data-url="${url}"></video>`,
    code: await browserSample('video-and-player', server),
  });
  try {
    await page.goto(site.url);
    const playedTo = () =>
      page.evaluate(async () => {
        const video = document.querySelector('video');
        await video?.play();
        return video?.currentTime ?? 0;
      });
    await expect.poll(playedTo).toBeGreaterThan(0.2);
  } finally {
    await site.stop();
  }
});
