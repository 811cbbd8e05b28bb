import { Client } from 'pg';
import { SECOND } from '../../contract/limits.ts';
import { toDatabaseError } from '../db/postgres-errors.ts';
import type { Lock, Locks } from './port.ts';

/** Distinguishes our names from advisory locks that other programs take in the same database. */
const SEED = 0x77686172;

/** These limit how long a machine that vanished without closing its connection keeps its locks. */
const KEEPALIVE_SETTINGS =
  'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 4';

type Session = { client: Client; held: Map<string, AbortController> };

/**
 * Advisory locks of PostgreSQL, all on one connection of this process. They end with the connection, so a
 * process that is killed holds none. The first lock opens the connection.
 */
export class PostgresLocks implements Locks {
  private session: Promise<Session> | null = null;

  constructor(private readonly url: string) {}

  async tryTake(name: string): Promise<Lock | null> {
    const { client, held } = await this.openSession();
    // PostgreSQL would grant the same connection a lock twice.
    if (held.has(name)) return null;
    const lost = new AbortController();
    held.set(name, lost);
    try {
      if (await call(client, name, 'pg_try_advisory_lock')) {
        return { lost: lost.signal, release: () => release({ client, held }, name, lost) };
      }
    } catch (error) {
      held.delete(name);
      throw error;
    }
    held.delete(name);
    return null;
  }

  async close(): Promise<void> {
    const open = await this.session?.catch(() => null);
    await open?.client.end();
  }

  private openSession(): Promise<Session> {
    if (this.session) return this.session;
    // A broken connection reports it more than once, and a new connection may exist by the second time.
    const forget = () => {
      if (this.session === opened) this.session = null;
    };
    const opened = connect(this.url, forget).catch((error) => {
      forget();
      throw error;
    });
    this.session = opened;
    return opened;
  }
}

/** Connects. When the connection ends, it calls `forget` and aborts every lock that is held. */
async function connect(url: string, forget: () => void): Promise<Session> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: 10 * SECOND,
    keepAlive: true,
  });
  const held = new Map<string, AbortController>();
  const lose = () => {
    forget();
    for (const lock of held.values()) lock.abort();
    held.clear();
  };
  client.on('error', lose);
  client.on('end', lose);
  await toDatabaseError(client.connect());
  await toDatabaseError(client.query(KEEPALIVE_SETTINGS));
  return { client, held };
}

async function release(
  { client, held }: Session,
  name: string,
  lost: AbortController,
): Promise<void> {
  if (held.get(name) !== lost) return;
  // The database releases the lock before its name is forgotten; otherwise a caller that takes the lock in
  // between would lose it.
  await call(client, name, 'pg_advisory_unlock').catch(() => client.end());
  held.delete(name);
}

async function call(
  client: Client,
  name: string,
  fn: 'pg_try_advisory_lock' | 'pg_advisory_unlock',
): Promise<boolean> {
  const text = `select ${fn}(hashtextextended($1, ${SEED})) as done`;
  const { rows } = await toDatabaseError(client.query<{ done: boolean }>(text, [name]));
  return rows[0]?.done === true;
}
