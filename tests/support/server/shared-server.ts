import { afterAll } from 'bun:test';
import { startServerInProcess } from './in-process-server.ts';
import { makeBucket, signUp, startServer, type TestServer } from './server.ts';

/** One server for all tests of the file that asks, which ends after the last of them. Takes what `startServer` takes. */
export const sharedServer = (...asked: Parameters<typeof startServer>) =>
  endedAfterAll(startServer(...asked));

/** The same in this process, for tests that move its clock or reach into its services. */
export const sharedServerInProcess = (...asked: Parameters<typeof startServerInProcess>) =>
  endedAfterAll(startServerInProcess(...asked));

/** A server with a user, who is no admin, and a bucket of theirs: what most calls need to be there. */
export const sharedBucket = async (...asked: Parameters<typeof startServer>) =>
  withBucket(await sharedServer(...asked));

/** The same in this process. */
export const sharedBucketInProcess = async (...asked: Parameters<typeof startServerInProcess>) =>
  withBucket(await sharedServerInProcess(...asked));

async function endedAfterAll<Server extends TestServer>(starting: Promise<Server>) {
  const server = await starting;
  afterAll(() => server.stop());
  return server;
}

async function withBucket<Server extends TestServer>(server: Server) {
  const user = await signUp(server);
  return { server, user, bucket: await makeBucket(server, user) };
}
