import { test as base } from '@playwright/test';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

/**
 * `server` is the real server, started once for all tests of a run, and anew after a failed one.
 * `page.goto('/…')` leads to it.
 */
export const test = base.extend<{ serverLog: undefined }, { server: ServerProcess }>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names in this pattern.
    async ({}, use) => {
      const server = await startServerProcess();
      await use(server);
      await server.stop();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  baseURL: ({ server }, use) => use(server.url),
  serverLog: [
    async ({ server }, use, info) => {
      const before = (await server.log()).length;
      await use(undefined);
      if (info.status === info.expectedStatus) return;
      const body = (await server.log()).slice(before);
      await info.attach('server log', { body, contentType: 'text/plain' });
    },
    { auto: true },
  ],
});

export { expect } from '@playwright/test';
