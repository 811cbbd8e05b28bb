import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generateOnce } from '../fixtures/generate-once.ts';
import { ROOT, sourceCommand } from './program.ts';

const MIGRATIONS = join(ROOT, 'server/platform/db/migrations');
const MAKER = join(ROOT, 'tests/support/server/migrate-sqlite.ts');

let file: Promise<string> | undefined;

/**
 * Returns the path of an SQLite file with all tables, which must not be changed. It is made once for the
 * migrations as they are, because they take as much processor time as the rest of a server's start. It
 * runs in Node and in Bun.
 */
export function migratedSqlite(): Promise<string> {
  file ??= makeOnce();
  return file;
}

/** Returns the sources of all migrations, which a migrated database depends on. */
export const migrationSources = async (): Promise<string[]> =>
  Promise.all((await migrationFiles()).map((path) => readFile(path, 'utf8')));

/** Whether a program was built before the last change of a migration, which it would refuse then. */
export async function isOlderThanMigrations(program: string): Promise<boolean> {
  const { mtimeMs: builtAt } = await stat(program);
  const files = await Promise.all((await migrationFiles()).map((path) => stat(path)));
  return files.some(({ mtimeMs }) => mtimeMs > builtAt);
}

const migrationFiles = async () =>
  (await readdir(MIGRATIONS)).sort().map((name) => join(MIGRATIONS, name));

async function makeOnce() {
  const [bun = ''] = sourceCommand;
  return generateOnce('migrated.db', await migrationSources(), async (path) => {
    await promisify(execFile)(bun, [MAKER, path], { cwd: ROOT });
  });
}
