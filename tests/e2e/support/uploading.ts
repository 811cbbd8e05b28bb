import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, Response } from '@playwright/test';
import { MIB } from '../../../server/contract/limits.ts';
import type { FilePageWire, FileWire } from '../../../server/contract/wire.ts';
import { createBucket } from '../../support/client/api.ts';
import { makeClip, makePhoto, padBeforeIndex, padClip } from '../../support/fixtures/make-media.ts';
import type { ServerProcess } from '../../support/server/server-process.ts';
import { startSession } from './people.ts';

/** In bytes per second. A video takes longer at this rate than any test. */
export const TRICKLE = 32 * 1024;
export const UNLIMITED = -1;
/** In bytes per second. A chunk takes a few seconds at this rate. */
export const SLOW = 3 * MIB;

export const dialogOf = (page: Page) => page.getByRole('dialog');
export const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
export const trayOf = (page: Page) => page.getByRole('region', { name: 'Uploads', exact: true });
/** The row of an upload in the tray. */
export const trayRow = (page: Page, name: string) =>
  trayOf(page).getByRole('listitem').filter({ hasText: name });

export async function openDialog(page: Page, kind: 'Image' | 'Video' | 'Files') {
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await page.getByRole('menuitem', { name: `Upload ${kind}` }).click();
  return dialogOf(page);
}

/** A confirmation dialog, by its title. */
export const question = (page: Page, name: string) =>
  page.getByRole('dialog', { name, exact: true });

/** Selects files and presses 'Upload'. */
export async function upload(page: Page, kind: 'Image' | 'Video', files: string | string[]) {
  const dialog = await openDialog(page, kind);
  await dialog.getByLabel(kind, { exact: true }).setInputFiles(files);
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  return dialog;
}

/** Signs up a new user and opens the files of a new bucket. */
export async function enterBucket(page: Page, server: ServerProcess) {
  const session = await startSession(page, server);
  const bucket = await createBucket(server, session.token, 'Harbour');
  await page.goto(`/dashboard/files/${bucket.id}`);
  const headers = { authorization: `Bearer ${session.token}` };
  const call = (path: string) => fetch(`${server.url}${path}`, { headers });
  return {
    ...session,
    bucket,
    /** Loads the bucket's files from the server. */
    files: async (): Promise<FileWire[]> =>
      ((await (await call(`/files/${bucket.id}`)).json()) as FilePageWire).data,
    /** Asks the server for the progress of a video upload. */
    upload: async (clientId: string) => {
      const response = await call(`/files/upload/video/${bucket.id}/${clientId}`);
      return { status: response.status, body: await response.json().catch(() => null) };
    },
  };
}

const SMALL = { width: 426, height: 240 };

/** Makes photos and videos to upload. */
export async function makeShelf() {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-uploads-'));
  const at = (name: string) => join(folder, name);
  await writeFile(at('dawn.jpg'), await makePhoto({ width: 640, height: 480 }));
  await writeFile(at('dusk.jpg'), await makePhoto({ width: 480, height: 640 }));
  // Bytes behind the end of an image make it large without work for the encoder.
  const dawn = await readFile(at('dawn.jpg'));
  await writeFile(at('large.jpg'), Buffer.concat([dawn, Buffer.alloc(4 * MIB)]));
  await writeFile(at('broken.jpg'), 'not a photo at all');
  await makeClip(at('crane.mp4'), { ...SMALL, seconds: 1 });
  // The file has three chunks: two of 9 MiB and a last one of 2 MiB.
  await makeClip(at('holiday.mp4'), { ...SMALL, seconds: 1 });
  await padClip(at('holiday.mp4'), 20 * MIB);
  await writeFile(at('broken.mp4'), 'not a video at all');
  await makeClip(at('late.mp4'), { width: 640, height: 360, seconds: 1 });
  await padBeforeIndex(at('late.mp4'), 20 * MIB);
  await makeClip(at('tall.mp4'), { width: 360, height: 640, seconds: 1 });
  await makeClip(at('square.mp4'), { width: 240, height: 240, seconds: 1 });
  return { at, photos: [at('dawn.jpg'), at('dusk.jpg')] };
}

/**
 * Limits the upload rate of the page, in bytes per second. The returned functions change the rate or
 * take the page offline, because the context's own `setOffline` would reset the limit.
 */
export async function slowDown(page: Page, bytesPerSecond: number) {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  let rate = bytesPerSecond;
  const set = (offline: boolean) =>
    session.send('Network.emulateNetworkConditions', {
      offline,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: rate,
    });
  await set(false);
  return {
    setOffline: set,
    setRate: (bytesPerSecond: number) => {
      rate = bytesPerSecond;
      return set(false);
    },
  };
}

/** Collects the response statuses of the video chunks that the server has accepted. */
export function watchChunks(page: Page): string[] {
  const chunks: string[] = [];
  page.on('response', (response) => {
    if (isChunk(response)) chunks.push(String(response.status()));
  });
  return chunks;
}

const CHUNKS = /\/files\/upload\/video\//;
const isChunk = (response: Response) => {
  const request = response.request();
  return response.ok() && request.method() === 'POST' && CHUNKS.test(request.url());
};

/**
 * Lets the page send a number of chunks of long videos and holds back all later ones, until a reload or
 * a release. They are held in the page, because a slow upload would end during the test, and Playwright
 * reads the whole body of a request that it intercepts.
 * @returns a function that allows chunks again; those that were held are not sent
 */
export async function holdChunks(page: Page, allowed: number) {
  await page.evaluate((allowed) => {
    const { send } = XMLHttpRequest.prototype;
    let sentCount = 0;
    XMLHttpRequest.prototype.send = function (body) {
      const isChunk = body instanceof FormData && Number(body.get('total_chunks')) > 1;
      if (isChunk) sentCount += 1;
      // Without a connection the request fails immediately, as it does in reality.
      if (!isChunk || sentCount <= allowed || !navigator.onLine) send.call(this, body);
    };
    addEventListener('release-chunks', () => {
      XMLHttpRequest.prototype.send = send;
    });
  }, allowed);
  return () => page.evaluate(() => dispatchEvent(new Event('release-chunks')));
}

/** Waits for the next chunk that the server accepts. */
export const waitForChunk = (page: Page) => page.waitForResponse(isChunk);

/** Lets the page send only one chunk of the upload that `send` starts. Returns a function that reloads. */
export async function interruptAfterChunk(page: Page, send: () => Promise<unknown>) {
  await holdChunks(page, 1);
  const chunkResponse = waitForChunk(page);
  await send();
  await chunkResponse;
  return () => page.reload();
}

/** Returns the unfinished uploads in the browser's local storage. */
export const remembered = (page: Page): Promise<{ clientId: string; received: number }[]> =>
  page.evaluate(() =>
    Object.entries(localStorage)
      .filter(([key]) => key.startsWith('unfinished-upload '))
      .map(([, entry]) => JSON.parse(entry)),
  );
