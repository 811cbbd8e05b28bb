import { test as base } from '@playwright/test';
import type { SessionWire } from '../../server/contract/wire.ts';
import { signUp } from '../support/client/api.ts';
import { type ServerProcess, startServerProcess } from '../support/server/server-process.ts';
import { complaintsOf } from './support/complaints.ts';
import { collectSecrets, mailedSecrets, secretsIn } from './support/secrets.ts';
import { recordToasts } from './support/toasts.ts';

export const ADMIN = 'harbour-master@example.com';
const SETTINGS = { WEBHOOK_ALLOW_PRIVATE: 'yes', ADMIN_EMAIL: ADMIN };

/**
 * `server` is a real server that all files of a worker share, and `admin` the session of its admin. It is
 * restarted after a failed test, and for other settings in `serverEnv`. When it stops, its log must not
 * contain any secret that was used. `page.goto('/…')` opens its pages. An error on a page's console fails
 * the test.
 */
export const test = base.extend<
  { serverLog: undefined; watched: undefined; expectedComplaints: RegExp | null },
  {
    server: ServerProcess;
    admin: SessionWire;
    serverEnv: Record<string, string>;
    secrets: Set<string>;
  }
>({
  secrets: [new Set(), { scope: 'worker' }],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern
  serverEnv: [async ({}, use) => use(SETTINGS), { scope: 'worker' }],
  server: [
    async ({ secrets, serverEnv }, use) => {
      const server = await startServerProcess({ isQuick: true, env: serverEnv });
      await use(server);
      for (const secret of await mailedSecrets(server.outbox)) secrets.add(secret);
      const leaked = secretsIn(await server.log(), secrets);
      await server.stop();
      if (leaked.length > 0)
        throw new Error(`The log contains ${leaked.length} of ${secrets.size} secrets.`);
    },
    { scope: 'worker', timeout: 600_000 },
  ],
  admin: [async ({ server }, use) => use(await signUp(server, ADMIN)), { scope: 'worker' }],
  baseURL: ({ server }, use) => use(server.url),
  expectedComplaints: [null, { option: true }],
  watched: [
    async ({ context, page, secrets, expectedComplaints }, use) => {
      collectSecrets(context, secrets);
      await recordToasts(page);
      const complaints = complaintsOf(context, expectedComplaints);
      await use(undefined);
      // A page may still request something that a test answers, and would be gone before the answer.
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      for (const { value } of await context.cookies()) if (value) secrets.add(value);
      if (complaints.length > 0)
        throw new Error(`The page's console has errors:\n${complaints.join('\n')}`);
    },
    { auto: true },
  ],
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
