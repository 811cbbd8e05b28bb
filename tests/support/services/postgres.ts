import { chown, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findPostgresql, findPostgresUser } from '../../../scripts/setup/test-programs.mjs';
import { generateOnce } from '../fixtures/generate-once.ts';
import { freePort } from '../server/free-port.ts';
import { DATABASE_FOLDER, sweepTemporary } from '../server/sweep.ts';

const PREFIX = 'wharf-postgres-';
const ROLE = 'wharf';
/** Settings that are fast and only safe for tests: the data must survive a crash of the server only. */
const QUICK = [
  ...['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'autovacuum=off'],
  ...['wal_level=minimal', 'max_wal_senders=0', 'min_wal_size=32MB', 'max_wal_size=128MB'],
  'max_connections=500',
];
/**
 * Texts are in the order of a dictionary, as in the databases of the official image, so that a query which relies on
 * the order of code points fails here too. Versions before 15 don't have it.
 */
const AS_IN_A_DICTIONARY = ['--locale-provider=icu', '--icu-locale=en-US'];
const START_TIMEOUT = 500_000;

/**
 * Stops the server when the test process ends. `bun test` runs no exit handlers, nor does a process that
 * is killed, so a pipe is used: `read` ends when its other end closes. A line on the pipe kills the server, and
 * the next one starts it again.
 */
const KEEPER = `
trap '' INT TERM HUP
folder=$1; shift
"$@" </dev/null &
server=$!
while read -r _; do
  kill -QUIT $server; wait $server
  read -r _ || break
  "$@" </dev/null &
  server=$!
done
kill -QUIT $server; wait $server; rm -rf "$folder"`;

export type Postgres = { url: string };

export type OwnPostgres = Postgres & {
  /** Kills the server like a crash, and restarts it after `meanwhile`. Resolves when it responds. */
  crash(meanwhile: () => Promise<unknown>): Promise<void>;
};

let started: Promise<Postgres | null> | undefined;

/**
 * Returns the PostgreSQL that `npm test` shares among test files, or starts one for this process. Its
 * role is a superuser. Returns null if PostgreSQL is not installed. Throws if it does not start.
 */
export function startPostgres(): Promise<Postgres | null> {
  const url = process.env.WHARF_TEST_POSTGRES;
  started ??= url ? Promise.resolve({ url }) : startOwnPostgres();
  return started;
}

/**
 * Starts a separate PostgreSQL, for tests that crash it or need it to have `tls`. It ends with the
 * process, even if killed.
 */
export async function startOwnPostgres(tls?: {
  key: string;
  certificate: string;
}): Promise<OwnPostgres | null> {
  const bin = findPostgresql();
  const user = findPostgresUser();
  if (!bin || !user) return null;
  await sweepTemporary(PREFIX, DATABASE_FOLDER);
  const folder = await mkdtemp(join(DATABASE_FOLDER, `${PREFIX}${process.pid}-`));
  if (user.ids) await chown(folder, user.ids.uid, user.ids.gid);
  const data = join(folder, 'data');
  const log = Bun.file(join(folder, 'log'));
  const how = { cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } };
  const run = (...command: string[]) => ({ cmd: [...user.command, ...command], ...how });

  const { stdout: help } = Bun.spawnSync(run(join(bin, 'initdb'), '--help'));
  const order = String(help).includes('--icu-locale') ? AS_IN_A_DICTIONARY : [];
  const init = ['--auth=trust', '--no-sync', `--username=${ROLE}`, '--encoding=UTF8', ...order];
  const cluster = await generateOnce('postgres', [bin, init, user.ids], async (path) => {
    const result = Bun.spawnSync(run(join(bin, 'initdb'), '-D', data, ...init));
    if (result.exitCode !== 0) throw new Error(`initdb failed:\n${result.stderr}`);
    Bun.spawnSync(['mv', data, path]);
  });
  Bun.spawnSync(['cp', '-a', cluster, data]);

  const port = String(await freePort());
  const settings = [...QUICK, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`];
  if (tls) {
    const files = { 'server.key': tls.key, 'server.crt': tls.certificate };
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(data, name), text, { mode: 0o600 });
      if (user.ids) await chown(join(data, name), user.ids.uid, user.ids.gid);
    }
    settings.push('ssl=on');
  }
  const server = [join(bin, 'postgres'), '-D', data, '-p', port];
  const keeper = Bun.spawn({
    ...run('sh', '-c', KEEPER, 'sh', folder, ...server, ...settings.flatMap((one) => ['-c', one])),
    stdin: 'pipe',
    stdout: log,
    stderr: log,
  });
  keeper.unref();

  const ready = run(join(bin, 'pg_isready'), '-q', '-h', '127.0.0.1', '-p', port, '-U', ROLE);
  const waitUntilReachable = async (isExpected: boolean) => {
    const deadline = Date.now() + START_TIMEOUT;
    while (((await Bun.spawn(ready).exited) === 0) !== isExpected) {
      if (Date.now() > deadline) throw new Error(`PostgreSQL did not start:\n${await log.text()}`);
      await Bun.sleep(20);
    }
  };
  await waitUntilReachable(true);
  return {
    url: `postgres://${ROLE}@127.0.0.1:${port}/postgres`,
    async crash(meanwhile) {
      const toggle = () => {
        keeper.stdin.write('\n');
        keeper.stdin.flush();
      };
      toggle();
      await waitUntilReachable(false);
      await meanwhile();
      toggle();
      await waitUntilReachable(true);
    },
  };
}
