import { Migrator } from 'kysely/migration';
import { migrations } from './migrations/index.ts';
import type { Database } from './port.ts';

/**
 * Brings the schema to the newest version, behind the migrator's lock, and returns the
 * names of what ran. Throws when one fails, or when the database is newer than this program.
 */
export async function migrate(database: Database): Promise<string[]> {
  const migrator = new Migrator({
    db: database.db,
    provider: { getMigrations: async () => migrations },
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error) throw error;
  return (results ?? []).map((one) => one.migrationName);
}
