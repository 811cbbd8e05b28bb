import type { Client } from 'pg';
import { SECOND } from '../../contract/limits.ts';
import { connectionTo, TranslatingClient } from '../db/postgres-client.ts';
import { toDatabaseError } from '../db/postgres-errors.ts';
import { KEEPALIVE, type Keepalive, keepaliveSettings } from '../db/postgres-session.ts';
import type { Lock, Locks } from './port.ts';

/** Distinguishes our names from advisory locks that other programs take in the same database. */
const SEED = 0x77686172;

/** A lock is granted or refused at once. */
const QUERY_TIMEOUT_MS = 10 * SECOND;

type Mode = 'lock' | 'lock_shared';

type Session = {
  client: Client;
  locks: Map<string, AbortController>;
  /** Runs queries one after the other, as a client of pg must not be given two at a time. */
  inTurn: <Result>(query: () => Promise<Result>) => Promise<Result>;
};

/**
 * Advisory locks of PostgreSQL, all on one connection of this process. They end with the connection, so a
 * process that is killed holds none. The first lock opens the connection.
 */
export class PostgresLocks implements Locks {
  private session: Promise<Session> | null = null;

  constructor(
    private readonly url: string,
    private readonly keepalive: Keepalive = KEEPALIVE,
  ) {}

  tryTake(name: string): Promise<Lock | null> {
    return this.acquire(name, 'lock');
  }

  tryShare(name: string): Promise<Lock | null> {
    return this.acquire(name, 'lock_shared');
  }

  private async acquire(name: string, mode: Mode): Promise<Lock | null> {
    const session = await this.openSession();
    const { locks } = session;
    // PostgreSQL would grant the same connection a lock twice.
    if (locks.has(name)) return null;
    const aborter = new AbortController();
    locks.set(name, aborter);
    try {
      if (await call(session, name, `pg_try_advisory_${mode}`)) {
        return { lost: aborter.signal, release: () => release(session, name, mode, aborter) };
      }
    } catch (error) {
      locks.delete(name);
      throw error;
    }
    locks.delete(name);
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
      if (this.session === session) this.session = null;
    };
    const session = connect(this.url, this.keepalive, forget).catch((error) => {
      forget();
      throw error;
    });
    this.session = session;
    return session;
  }
}

/** Connects. When the connection ends, it calls `forget` and aborts every lock that is held. */
async function connect(url: string, keepalive: Keepalive, forget: () => void): Promise<Session> {
  const client = new TranslatingClient(connectionTo(url, QUERY_TIMEOUT_MS, keepalive));
  const locks = new Map<string, AbortController>();
  const lose = () => {
    forget();
    for (const lock of locks.values()) lock.abort();
    locks.clear();
  };
  client.on('error', lose);
  client.on('end', lose);
  await toDatabaseError(client.connect());
  await client.query(keepaliveSettings(keepalive));
  let last: Promise<unknown> = Promise.resolve();
  return {
    client,
    locks,
    inTurn(query) {
      const result = last.then(query);
      last = result.catch(() => {});
      return result;
    },
  };
}

async function release(
  session: Session,
  name: string,
  mode: Mode,
  aborter: AbortController,
): Promise<void> {
  const { client, locks } = session;
  if (locks.get(name) !== aborter) return;
  // The database releases the lock before its name is forgotten; otherwise a caller that takes the lock in
  // between would lose it.
  await call(session, name, `pg_advisory_un${mode}`).catch(() => client.end());
  locks.delete(name);
}

async function call(
  { client, inTurn }: Session,
  name: string,
  fn: `pg_try_advisory_${Mode}` | `pg_advisory_un${Mode}`,
): Promise<boolean> {
  const text = `select ${fn}(hashtextextended($1, ${SEED})) as done`;
  const { rows } = await inTurn(() => client.query<{ done: boolean }>(text, [name]));
  return rows[0]?.done === true;
}
