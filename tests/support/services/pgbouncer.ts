import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findServer } from '../../../scripts/setup/programs.mjs';
import { findPostgresUser } from '../../../scripts/setup/test-programs.mjs';
import { freePort } from '../server/free-port.ts';

const START_TIMEOUT_MS = 500_000;

export const pgbouncerPath: string | null = findServer('pgbouncer');

/**
 * Starts PgBouncer in front of a database. `url` is in transaction mode, with few sessions, and
 * `sessionUrl` in session mode. Throws its output if it does not start.
 */
export async function startPgbouncer(databaseUrl: string) {
  const { hostname, port, username, pathname } = new URL(databaseUrl);
  const user = findPostgresUser();
  if (!pgbouncerPath || !user) throw new Error('PgBouncer is not on this machine');
  const folder = await mkdtemp(join(tmpdir(), 'wharf-pgbouncer-'));
  const ownPort = await freePort();
  const target = `host=${hostname} port=${port} dbname=${pathname.slice(1)}`;
  const users = join(folder, 'users');
  const settings = join(folder, 'settings');
  await writeFile(users, `"${username}" ""\n`);
  await writeFile(
    settings,
    `[databases]
transactions = ${target} pool_mode=transaction pool_size=4
sessions = ${target} pool_mode=session pool_size=40
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
max_client_conn = 200
`,
  );
  if (user.ids) {
    for (const path of [folder, users, settings]) await chown(path, user.ids.uid, user.ids.gid);
  }
  const child = Bun.spawn([...user.command, pgbouncerPath, settings], {
    stdout: 'ignore',
    stderr: 'pipe',
  });
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await listens(ownPort))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      throw new Error(`PgBouncer did not start:\n${await new Response(child.stderr).text()}`);
    }
    await Bun.sleep(20);
  }
  const at = (name: string) => `postgres://${username}@127.0.0.1:${ownPort}/${name}`;
  return {
    url: at('transactions'),
    sessionUrl: at('sessions'),
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
