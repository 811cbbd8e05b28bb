import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migrate } from '../../server/platform/db/migrate.ts';
import { migrations } from '../../server/platform/db/migrations/index.ts';
import { openPostgres } from '../../server/platform/db/postgres.ts';
import { openSqlite } from '../../server/platform/db/sqlite/open.ts';
import { copyDatabase, freshDatabase } from '../../tests/support/server/engines.ts';
import { startOwnPostgres } from '../../tests/support/services/postgres.ts';
import type { Scene } from './measure-program.ts';
import { openScalePostgres, openScaleSqlite, type ScaleDatabase } from './scale-database.ts';

/** The migrations that every measured program has. Its own bring the rows to its schema. */
const SEEDED_MIGRATIONS = 15;

/** The seeded data: where it is, and how to give a program a copy of it. */
export type SeededStore = {
  open: () => ScaleDatabase;
  /** Copies the data for one program that runs on `dataDir`. */
  copy(dataDir: string): Promise<Pick<Scene, 'env' | 'open'>>;
};

const seededMigrations = Object.fromEntries(Object.entries(migrations).slice(0, SEEDED_MIGRATIONS));

/** Creates an SQLite file in `folder`, and copies it. */
export async function createSqliteStore(folder: string): Promise<SeededStore> {
  const path = join(folder, 'seeded.db');
  const database = openSqlite(path);
  await migrate(database, seededMigrations);
  await database.close();
  return {
    open: () => openScaleSqlite(path),
    async copy(dataDir) {
      const own = join(dataDir, 'wharf.db');
      await copyFile(path, own);
      return { env: {}, open: () => openScaleSqlite(own) };
    },
  };
}

/** Starts a PostgreSQL of its own, which does not sync its disk. Throws where it is not installed. */
export async function createPostgresStore(): Promise<SeededStore> {
  const postgres = await startOwnPostgres();
  if (!postgres) throw new Error('PostgreSQL is not installed.');
  const url = await freshDatabase(postgres.url);
  const database = openPostgres(url);
  await migrate(database, seededMigrations);
  await database.close();
  return {
    open: () => openScalePostgres(url),
    async copy() {
      const seeded = openScalePostgres(url);
      await seeded.analyze();
      await seeded.close();
      const own = await copyDatabase(url);
      return {
        env: { DATABASE_URL: own, APP_SECRET: crypto.randomUUID() },
        open: () => openScalePostgres(own),
      };
    },
  };
}
