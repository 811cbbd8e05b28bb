import { freshDatabase } from './engines.ts';
import { startPostgres } from './postgres.ts';

/** Set to 'postgres', it has every server of the tests keep its rows there. */
export const isOnPostgres = process.env.WHARF_TEST_ENGINE === 'postgres';

const settings = new Map<string, Record<string, string>>();

/**
 * What a server on `dataDir` needs in its environment to keep its rows in the engine under test: for
 * SQLite nothing, for PostgreSQL a database of its own, the same one whenever it is asked again.
 */
export async function engineSettings(dataDir: string): Promise<Record<string, string>> {
  if (!isOnPostgres) return {};
  const known = settings.get(dataDir);
  if (known) return known;
  const postgres = await startPostgres();
  if (!postgres) throw new Error('WHARF_TEST_ENGINE=postgres, but PostgreSQL is not installed');
  const made = {
    DATABASE_URL: await freshDatabase(postgres.url),
    APP_SECRET: crypto.randomUUID(),
  };
  settings.set(dataDir, made);
  return made;
}
