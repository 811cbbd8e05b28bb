import { afterAll } from 'bun:test';
import { openDatabase } from '../../../server/adapters/database.ts';
import { type Config, loadConfig } from '../../../server/config/config.ts';
import type { Executor } from '../../../server/platform/db/port.ts';
import { createBucket, signUp } from '../client/api.ts';
import { startServerProcess } from './server-process.ts';
import { engineSettings } from './test-engine.ts';

export type TestServer = {
  url: string;
  dataDir: string;
  /** Folder of the .eml files. */
  outbox: string;
  config: Config;
  /** The rows of the server, over a connection of the test's own. */
  db: Executor;
  stop(): Promise<void>;
};

/**
 * The program under test as a server of its own, on a port and in a folder of its own. Call `stop` in
 * `afterAll`. A `dataDir` that is given stays.
 */
export async function startServer(
  env: Record<string, string> = {},
  { dataDir }: { dataDir?: string } = {},
): Promise<TestServer> {
  const server = await startServerProcess({ env: { LOG_LEVEL: 'warn', ...env }, dataDir });
  const config = loadConfig({
    PORT: new URL(server.url).port,
    DATA_DIR: server.dataDir,
    APP_URL: server.url,
    ...(await engineSettings(server.dataDir)),
    ...env,
  });
  const database = await openDatabase(config);
  return {
    url: server.url,
    dataDir: server.dataDir,
    outbox: server.outbox,
    config,
    db: database.db,
    async stop() {
      await database.close();
      await server.stop();
    },
  };
}

/** One server for all tests of the file that asks, which ends after the last of them. Takes what `startServer` takes. */
export const sharedServer = (...asked: Parameters<typeof startServer>) =>
  stopAfterAll(startServer(...asked));

/** A server with a user, who is no admin, and a bucket of theirs: what most calls need to be there. */
export const sharedBucket = async (...asked: Parameters<typeof startServer>) =>
  withBucket(await sharedServer(...asked));

/** The server, once it has started; it stops after the last test of the file. */
export async function stopAfterAll<Server extends TestServer>(starting: Promise<Server>) {
  const server = await starting;
  afterAll(() => server.stop());
  return server;
}

/** The server with a user and a bucket of theirs. */
export async function withBucket<Server extends TestServer>(server: Server) {
  const user = await signUp(server);
  return { server, user, bucket: await createBucket(server, user.token) };
}
