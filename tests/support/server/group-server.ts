import { atEnd } from './at-end.ts';
import { type InProcessServer, startServerInProcess } from './in-process-server.ts';
import { startServer, type TestServer, withBucket } from './server.ts';

/*
 * Servers that all files of a group share, because a start takes longer than most tests. A file that changes the
 * server as a whole, such as its limits, its clock or what only an admin sees, has a server of its own.
 */

type Settings = Record<string, string>;

/** Returns the server of this group with these settings. It stops after the last file. */
export const groupServer: (env?: Settings) => Promise<TestServer> = once(startServer);

/** Returns the server in this process of this group with these settings. It stops after the last file. */
export const groupServerInProcess: (env?: Settings) => Promise<InProcessServer> =
  once(startServerInProcess);

/** Adds a user and their bucket to the server of this group. */
export const groupBucket = async (env?: Settings) => withBucket(await groupServer(env));

/** Adds a user and their bucket to the server in this process of this group. */
export const groupBucketInProcess = async (env?: Settings) =>
  withBucket(await groupServerInProcess(env));

/** Calls `start` once for the same settings. */
function once<Server extends TestServer>(start: (env: Settings) => Promise<Server>) {
  const servers = new Map<string, Promise<Server>>();
  return (env: Settings = {}) => {
    const key = JSON.stringify(env);
    const server = servers.get(key) ?? start(env);
    if (!servers.has(key)) atEnd(async () => (await server).stop());
    servers.set(key, server);
    return server;
  };
}
