import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createBucket } from '../../support/client/api.ts';
import { makePhoto } from '../../support/fixtures/make-media.ts';
import { isForBrowsers, samplesOf } from '../../support/guide/samples.ts';
import type { ServerProcess } from '../../support/server/server-process.ts';
import { expect, test } from '../fixtures.ts';
import { clipBytes, fileThat, listFiles, makeBucket, sendVideo } from '../support/own-files.ts';
import { signUpIn } from '../support/people.ts';
import { startSite } from '../support/sample-site.ts';

const FOLDER = fileURLToPath(new URL('../../../docs/guide/', import.meta.url));

/** The one sample of a page that is for a browser, as our server would show it. */
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
  const { token } = await signUpIn(page, server);
  const { id, api_key } = await createBucket(server, token, 'Shop');
  const minted = await fetch(`${server.url}/buckets/jwt/${id}/0/write`, {
    method: 'POST',
    headers: { 'x-api-key': api_key },
  });
  const { jwt } = (await minted.json()) as { jwt: string };
  const site = await startSite({
    markup: '<input type="file" multiple aria-label="Pictures">',
    code: await browserSample('uploading', server),
    answers: { '/upload-token': { bucket: id, token: jwt } },
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
    const owner = { url: server.url, token, bucketId: id };
    const { data } = await listFiles(owner);
    expect(data.map(({ name, access }) => `${name} ${access}`).sort()).toEqual([
      'one.jpg public',
      'two.jpg public',
    ]);
    for (const file of data) expect((await fileThat(owner, file.id)).status).toBe('success');
  } finally {
    await site.stop();
  }
});

test('hls.js on another site plays a video, as the guide has it', async ({ page, server }) => {
  const { token } = await signUpIn(page, server);
  const owner = await makeBucket(server.url, token, 'Films');
  const bytes = await clipBytes({ seconds: 2 });
  const { id } = await sendVideo(owner, bytes, { name: 'clip.mp4', access: 'public' });
  const { url } = await fileThat(owner, id);
  const site = await startSite({
    markup: `<video controls muted data-url="${url}"></video>`,
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
