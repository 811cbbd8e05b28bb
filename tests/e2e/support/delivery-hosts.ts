import type { Page } from '@playwright/test';
import type { FileWire } from '../../../server/contract/wire.ts';
import { createBucket, signUp } from '../../support/client/api.ts';
import { freePort } from '../../support/server/free-port.ts';
import type { ServerProcess } from '../../support/server/server-process.ts';
import { test as base } from '../fixtures.ts';
import { keepSession } from './people.ts';

/** Both names are of one site, so that the browser sends cookies with SameSite from one to the other. */
const APP_HOST = 'wharf.localhost';
const CDN_HOST = 'files.wharf.localhost';

/** `hosts` has the addresses of the dashboard and of delivery, which are hosts of their own. */
export const test = base.extend<object, { hosts: { app: string; cdn: string } }>({
  serverEnv: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern
    async ({}, use) => {
      const port = await freePort();
      const app = `http://${APP_HOST}:${port}`;
      await use({
        PORT: String(port),
        APP_URL: app,
        CDN_URL: `http://${CDN_HOST}:${port}/cdn`,
      });
    },
    { scope: 'worker' },
  ],
  hosts: [
    async ({ serverEnv }, use) =>
      use({ app: serverEnv.APP_URL ?? '', cdn: serverEnv.CDN_URL ?? '' }),
    { scope: 'worker' },
  ],
});

/** Signs the page's browser in at the dashboard's host, with a bucket. */
export async function enterAt(page: Page, server: ServerProcess, app: string) {
  const user = await signUp(server);
  const bucket = await createBucket(server, user.token);
  const cookie = { name: 'wharf_session', value: user.token, url: app, httpOnly: true };
  await page.context().addCookies([{ ...cookie, sameSite: 'Lax' }]);
  await keepSession(page, { url: app }, user);
  /** Stores a file at a path, as it is. */
  const put = async (path: string, content: string | Uint8Array): Promise<FileWire> => {
    const body = new FormData();
    body.set('access', 'public');
    body.set('path', path);
    const name = path.slice(path.lastIndexOf('/') + 1);
    body.set('file', new Blob([content as BlobPart]), name);
    const response = await fetch(`${server.url}/files/upload/file/${bucket.id}`, {
      method: 'POST',
      headers: { 'x-api-key': bucket.api_key },
      body,
    });
    if (response.status !== 201) throw new Error(await response.text());
    return (await response.json()) as FileWire;
  };
  return { user, bucket, put };
}
