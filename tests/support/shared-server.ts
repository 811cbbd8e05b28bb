import { afterAll } from 'bun:test';
import { makeBucket, signUp, startServer } from './server.ts';

type Asked = Parameters<typeof startServer>;

/** One server for all tests of the file that asks, which ends after the last of them. Takes what `startServer` takes. */
export async function sharedServer(...asked: Asked) {
  const server = await startServer(...asked);
  afterAll(() => server.stop());
  return server;
}

/** The same with a user, who is no admin, and a bucket of theirs: what most calls need to be there. */
export async function sharedBucket(...asked: Asked) {
  const server = await sharedServer(...asked);
  const user = await signUp(server);
  return { server, user, bucket: await makeBucket(server, user) };
}
