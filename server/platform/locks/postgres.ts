import { Client } from 'pg';
import { SECOND } from '../../contract/limits.ts';
import { toDatabaseError } from '../db/postgres-errors.ts';
import type { Locks } from './port.ts';

/** Keeps our names apart from advisory locks that others take in the same database. */
const SEED = 0x77686172;

/** A machine that is gone, without a word to the database, holds its locks for no longer than this. */
const LIVELINESS =
  'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 4';

type Session = { client: Client; held: Map<string, AbortController> };

/**
 * Advisory locks of PostgreSQL, all on one connection of this process: they end with it, however it
 * ends, so a process that is killed holds nothing. It is made when the first is taken.
 */
export function openPostgresLocks(url: string): Locks {
  let session: Promise<Session> | null = null;

  const connect = async (forget: () => void): Promise<Session> => {
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
    await toDatabaseError(client.query(LIVELINESS));
    return { client, held };
  };

  const current = (): Promise<Session> => {
    if (session) return session;
    // A connection that breaks says so more than once; by the second time there may be another.
    const forget = () => {
      if (session === opened) session = null;
    };
    const opened = connect(forget).catch((error) => {
      forget();
      throw error;
    });
    session = opened;
    return opened;
  };

  const call = async (
    client: Client,
    name: string,
    what: 'pg_try_advisory_lock' | 'pg_advisory_unlock',
  ) => {
    const text = `select ${what}(hashtextextended($1, ${SEED})) as done`;
    const { rows } = await toDatabaseError(client.query<{ done: boolean }>(text, [name]));
    return rows[0]?.done === true;
  };

  return {
    async tryTake(name) {
      const { client, held } = await current();
      // The database would give it to the same connection twice.
      if (held.has(name)) return null;
      const lost = new AbortController();
      held.set(name, lost);
      try {
        if (await call(client, name, 'pg_try_advisory_lock')) {
          return {
            lost: lost.signal,
            async release() {
              if (held.get(name) !== lost) return;
              // Given back before it is forgotten, or whoever takes it meanwhile would lose it.
              await call(client, name, 'pg_advisory_unlock').catch(() => client.end());
              held.delete(name);
            },
          };
        }
      } catch (error) {
        held.delete(name);
        throw error;
      }
      held.delete(name);
      return null;
    },

    async close() {
      const open = await session?.catch(() => null);
      await open?.client.end();
    },
  };
}
