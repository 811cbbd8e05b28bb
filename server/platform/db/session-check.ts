import { Client } from 'pg';
import { SECOND } from '../../contract/limits.ts';
import { toDatabaseError } from './postgres-errors.ts';

/**
 * Whether each connection to a URL keeps one session of PostgreSQL. A pooler in transaction mode gives
 * every transaction another one; locks would then be held by nobody in particular, and notifications
 * arrive nowhere, both without an error. Rejects where the database can't be reached.
 */
export async function keepsSessions(url: string): Promise<boolean> {
  const [one, other] = [connect(url), connect(url)];
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

function connect(url: string): Client {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10 * SECOND });
  // A query that uses a broken connection reports the failure.
  client.on('error', () => {});
  return client;
}

async function sessionOf(client: Client): Promise<number> {
  const text = 'select pg_backend_pid() as id';
  const { rows } = await toDatabaseError(client.query<{ id: number }>(text));
  return rows[0]?.id ?? 0;
}
