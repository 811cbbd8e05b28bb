/*
 * The database and the storage of the test servers. Their clients are imported on demand, because most
 * tests use neither, and browser tests run in Node, which can't load them.
 */

/** 'postgres' makes every test server use PostgreSQL. */
export const isOnPostgres = process.env.WHARF_TEST_ENGINE === 'postgres';

/** 's3' makes every test server use S3. */
export const isOnS3 = process.env.WHARF_TEST_STORAGE === 's3';

const settings = new Map<string, Record<string, string>>();

/**
 * Returns the settings that a server on `dataDir` needs for the database and storage of this run: a
 * separate PostgreSQL database and S3 bucket, or none for SQLite and the disk. The same folder always
 * gets the same ones.
 */
export async function engineSettings(dataDir: string): Promise<Record<string, string>> {
  const cached = settings.get(dataDir);
  if (cached) return cached;
  const created = { ...(isOnPostgres && (await onPostgres())), ...(isOnS3 && (await onS3())) };
  settings.set(dataDir, created);
  return created;
}

/** Deletes the database of a server on `dataDir`, which has ended. */
export async function removeEngine(dataDir: string) {
  const { DATABASE_URL } = settings.get(dataDir) ?? {};
  settings.delete(dataDir);
  if (!DATABASE_URL) return;
  const { dropDatabases } = await import('./engines.ts');
  await dropDatabases([DATABASE_URL]);
}

async function onPostgres() {
  const { startPostgres } = await import('../services/postgres.ts');
  const { migratedDatabase } = await import('./engines.ts');
  const postgres = await startPostgres();
  if (!postgres) throw new Error('WHARF_TEST_ENGINE=postgres, but PostgreSQL is not installed');
  return { DATABASE_URL: await migratedDatabase(postgres.url), APP_SECRET: crypto.randomUUID() };
}

async function onS3() {
  const { startRgw } = await import('../services/rgw.ts');
  const rgw = await startRgw();
  if (!rgw) throw new Error('WHARF_TEST_STORAGE=s3, but Ceph is not installed');
  return { STORAGE_URL: (await rgw.bucket()).url };
}
