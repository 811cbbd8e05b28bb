import { peakMemory, residentMemory } from '../../bench/processes.ts';
import { MIB } from '../../server/contract/limits.ts';
import { signUp } from '../support/client/api.ts';
import { createS3Key } from '../support/client/s3.ts';
import { freePort } from '../support/server/free-port.ts';
import { startServerProcess } from '../support/server/server-process.ts';
import { startOwnRgw } from '../support/services/rgw.ts';
import type { Account } from './settings.ts';
import type { Target } from './suite.ts';

type RunningTarget = Target & { stop(): Promise<void> };

export type Wharf = RunningTarget & {
  /** Returns by how many MiB its memory was at most above that before its first request of S3. */
  peakAboveIdle(): Promise<number>;
};

/**
 * Starts the program under test with three accounts, whose keys come from its own API.
 * @param options.maxFileBytes of an object; 256 MiB by default
 */
export async function startWharf({ maxFileBytes = 256 * MIB } = {}): Promise<Wharf> {
  const port = await freePort();
  const server = await startServerProcess({
    isQuick: true,
    env: { LOG_LEVEL: 'warn', S3_PORT: String(port), MAX_FILE_BYTES: String(maxFileBytes) },
  });
  const account = async (): Promise<Account> => {
    const user = await signUp(server);
    const key = await createS3Key(user);
    const accessKey = {
      accessKeyId: key.access_key_id,
      secretAccessKey: key.secret_access_key,
    };
    return { id: user.userId, displayName: user.userId, email: user.email, ...accessKey };
  };
  const accounts = { main: await account(), alt: await account(), tenant: await account() };
  const url = `http://127.0.0.1:${port}`;
  const idle = await residentMemory(server.pid());
  return {
    ...{ url, accounts, region: 'weur' },
    peakAboveIdle: async () => (await peakMemory(server.pid())) - idle,
    stop: () => server.stop(),
  };
}

/** Starts Ceph's own S3 server with three accounts. Returns null where it is not installed. */
export async function startCeph(): Promise<RunningTarget | null> {
  const rgw = await startOwnRgw();
  if (!rgw) return null;
  const account = (name: string) => rgw.createUser(`s3tests-${name}`);
  const accounts = {
    main: await account('main'),
    alt: await account('alt'),
    tenant: await account('tenant'),
  };
  // It ends with this process.
  return { url: rgw.url, accounts, region: 'default', stop: async () => {} };
}
