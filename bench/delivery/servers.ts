import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ServerProcess,
  startServerProcess,
} from '../../tests/support/server/server-process.ts';

type Server = { url: string; pid: number };

/**
 * Starts this version and, where there is one, another program on a copy of the same data. The other one
 * prepares them, because this version can migrate its database, but may be unable to do the opposite.
 * @param prefix a command that runs both
 */
export async function startServers<Prepared>(
  { folder, other, prefix }: { folder: string; other: string | null; prefix: string[] },
  prepare: (server: ServerProcess) => Promise<Prepared>,
): Promise<{
  ours: Server;
  before: Server | null;
  prepared: Prepared;
  stop: () => Promise<void>;
}> {
  const dataDir = join(folder, 'data');
  const copy = join(folder, 'copy');
  const first = await startServerProcess({
    prefix,
    dataDir,
    ...(other && { program: [other] }),
  });
  const prepared = await prepare(first);
  if (!other) return { ours: serverOf(first), before: null, prepared, stop: first.stop };
  await first.restart('SIGTERM', () => cp(dataDir, copy, { recursive: true }));
  const second = await startServerProcess({ prefix, dataDir: copy });
  return {
    ours: serverOf(second),
    before: serverOf(first),
    prepared,
    stop: async () => {
      await second.stop();
      await first.stop();
    },
  };
}

const serverOf = ({ url, pid }: ServerProcess): Server => ({ url, pid: pid() });
