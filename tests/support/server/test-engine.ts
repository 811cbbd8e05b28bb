/*
 * The database and the storage that servers of the tests are told to use. What speaks to them is loaded where they
 * are asked for: most tests use neither, and browser tests run in Node, which could not load it.
 */

/** Set to 'postgres', it has every server of the tests keep its rows there. */
export const isOnPostgres = process.env.WHARF_TEST_ENGINE === 'postgres';

/** Set to 's3', it has every server of the tests keep its objects there. */
export const isOnS3 = process.env.WHARF_TEST_STORAGE === 's3';

const settings = new Map<string, Record<string, string>>();

/**
 * What a server on `dataDir` needs in its environment to keep its rows and objects where the tests are
 * told to: for SQLite and the disk nothing, for PostgreSQL a database and for S3 a bucket of its own, the
 * same ones whenever it is asked again.
 */
export async function engineSettings(dataDir: string): Promise<Record<string, string>> {
  const known = settings.get(dataDir);
  if (known) return known;
  const made = { ...(isOnPostgres && (await onPostgres())), ...(isOnS3 && (await onS3())) };
  settings.set(dataDir, made);
  return made;
}

/** Removes what a server on `dataDir`, which has ended, kept there. */
export async function removeEngine(dataDir: string) {
  const { DATABASE_URL } = settings.get(dataDir) ?? {};
  settings.delete(dataDir);
  if (!DATABASE_URL) return;
  const { dropDatabases } = await import('./engines.ts');
  await dropDatabases([DATABASE_URL]);
}

async function onPostgres() {
  const { startPostgres } = await import('../services/postgres.ts');
  const { freshDatabase } = await import('./engines.ts');
  const postgres = await startPostgres();
  if (!postgres) throw new Error('WHARF_TEST_ENGINE=postgres, but PostgreSQL is not installed');
  return { DATABASE_URL: await freshDatabase(postgres.url), APP_SECRET: crypto.randomUUID() };
}

async function onS3() {
  const { startRgw } = await import('../services/rgw.ts');
  const rgw = await startRgw();
  if (!rgw) throw new Error('WHARF_TEST_STORAGE=s3, but Ceph is not installed');
  return { STORAGE_URL: (await rgw.bucket()).url };
}
