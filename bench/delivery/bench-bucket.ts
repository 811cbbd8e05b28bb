import type { BucketDetailWire } from '../../server/contract/wire.ts';
import { createBucket, signUp } from '../../tests/support/client/api.ts';
import type { ServerProcess } from '../../tests/support/server/server-process.ts';

/** A new user of a server, by their session's token, and their bucket. */
export async function createBenchBucket(
  server: ServerProcess,
): Promise<{ token: string; bucket: BucketDetailWire }> {
  const { token } = await signUp(server, 'bench@example.org', 'a long enough password');
  return { token, bucket: await createBucket(server, token, 'Benchmark') };
}
