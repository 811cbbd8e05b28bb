import { sql } from 'kysely';
import { isUnavailable } from '../../../server/errors.ts';
import { openPostgres } from '../../../server/platform/db/postgres.ts';
import { DEFAULT_TIMEOUTS } from '../../../server/platform/db/postgres-session.ts';
import { PostgresLocks } from '../../../server/platform/locks/postgres.ts';
import { startOwnPostgres } from './postgres.ts';

/*
 * Runs in a network of its own, `unshare --net`, and prints what two processes on one PostgreSQL see when the
 * machine of the first one vanishes: every packet of its connections is dropped, without an answer to anybody.
 */

const run = (...command: string[]) => {
  const { success, stderr } = Bun.spawnSync(command, { stderr: 'pipe' });
  if (!success) throw new Error(`${command.join(' ')}: ${stderr}`);
};
const drop = (port: number) => {
  for (const side of ['--sport', '--dport']) {
    run('iptables', '-A', 'INPUT', '-p', 'tcp', side, String(port), '-j', 'DROP');
  }
};

run('ip', 'link', 'set', 'lo', 'up');
const server = await startOwnPostgres();
if (!server) throw new Error('PostgreSQL is not on this machine');
/** Short, but longer than a busy machine needs for a query. */
const timeouts = { ...DEFAULT_TIMEOUTS, idleInTransactionMs: 2000, queryMs: 5000 };
const keepalive = { idleSeconds: 1, intervalSeconds: 1, count: 2 };
const [first, second] = [openPostgres(server.url, { timeouts }), openPostgres(server.url)];
const locks = new PostgresLocks(server.url, keepalive);
const otherLocks = new PostgresLocks(server.url, keepalive);

await sql`create table counts (n int)`.execute(second.db);
const lock = await locks.tryTake('chore');
const { rows: holders } = await sql<{ port: number }>`
  select client_port as port from pg_locks join pg_stat_activity using (pid)
  where locktype = 'advisory'`.execute(second.db);
const isLost = new Promise((resolve) => lock?.lost.addEventListener('abort', resolve));

const transaction = first.transaction(async (tx) => {
  await sql`lock table counts`.execute(tx);
  const { rows } = await sql<{ port: number }>`select inet_client_port() as port`.execute(tx);
  for (const { port } of [...rows, ...holders]) drop(port);
  // What waits for the lock gets it, although the one who holds it never ends its transaction.
  await sql`select * from counts`.execute(second.db);
  console.log('the lock of the row is free');
  await sql`insert into counts values (1)`.execute(tx);
});
console.log(await transaction.then(String, (error) => `answered ${isUnavailable(error)}`));
await sql`insert into counts values (2)`.execute(first.db);
console.log('the database is there again');
while (!(await otherLocks.tryTake('chore'))) await Bun.sleep(50);
console.log('the lock of the chore is free');
await isLost;
console.log('its holder knows that it is lost');
process.exit();
