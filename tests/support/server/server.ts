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
  /** The folder of the .eml files. */
  outbox: string;
  config: Config;
  /** The server's database, over a separate connection. */
  db: Executor;
  stop(): Promise<void>;
};

/**
 * Starts the program under test as a server with its own port and folder. The caller must call `stop`. A
 * given `dataDir` is kept.
 */
export async function startServer(
  env: Record<string, string> = {},
  { dataDir }: { dataDir?: string } = {},
): Promise<TestServer & { log: () => Promise<string> }> {
  const server = await startServerProcess({
    isQuick: true,
    env: { LOG_LEVEL: 'warn', ...env },
    dataDir,
  });
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
    log: () => server.log(),
    async stop() {
      await database.close();
      await server.stop();
    },
  };
}

/** Starts one server for all tests of a file, which stops after the last of them. */
export const sharedServer = (...parameters: Parameters<typeof startServer>) =>
  stopAfterAll(startServer(...parameters));

/** Starts one server for all tests of a file, with a user and their bucket, which most calls need. */
export const sharedBucket = async (...parameters: Parameters<typeof startServer>) =>
  withBucket(await sharedServer(...parameters));

/** Waits for a server to start, and stops it after the last test of the file. */
export async function stopAfterAll<Server extends TestServer>(starting: Promise<Server>) {
  const server = await starting;
  afterAll(() => server.stop());
  return server;
}

/** Adds a user and their bucket to a server. */
export async function withBucket<Server extends TestServer>(server: Server) {
  const user = await signUp(server);
  return { server, user, bucket: await createBucket(server, user.token) };
}
