import type { Client } from 'pg';
import { SECOND } from '../../contract/limits.ts';
import { connectionTo, TranslatingClient } from './postgres-client.ts';
import { toDatabaseError } from './postgres-errors.ts';

const QUERY_TIMEOUT_MS = 10 * SECOND;

/**
 * Whether each connection to a URL keeps one session of PostgreSQL. A pooler in transaction mode gives
 * every transaction another one; locks would then be held by nobody in particular, and notifications
 * arrive nowhere, both without an error. Rejects where the database can't be reached.
 */
export async function keepsSessions(url: string): Promise<boolean> {
  const how = connectionTo(url, QUERY_TIMEOUT_MS);
  const [one, other] = [new TranslatingClient(how), new TranslatingClient(how)];
  try {
    await toDatabaseError(Promise.all([one.connect(), other.connect()]));
    // While one transaction is open, the other connection gets a second session. When it has ended, the
    // pooler gives out the session that was used last, which is that of the first connection.
    await one.query('begin');
    await one.query('select 1');
    const before = await sessionOf(other);
    await one.query('commit');
    return (await sessionOf(other)) === before;
  } finally {
    await Promise.allSettled([one.end(), other.end()]);
  }
}

async function sessionOf(client: Client): Promise<number> {
  const text = 'select pg_backend_pid() as id';
  const { rows } = await client.query<{ id: number }>(text);
  return rows[0]?.id ?? 0;
}
