import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { lockFolder } from '../../adapters/data-dir.ts';
import { openDatabaseForReading } from '../../adapters/database.ts';
import { createTables, databaseIn, openTarget, schemaIn } from '../../adapters/operator.ts';
import { readConfig } from '../../config/config.ts';
import { OperatorError } from '../../config/operator-error.ts';
import { parseSecrets } from '../../platform/secrets/secrets.ts';
import { opensRows } from '../admin/configured-secret.ts';
import { openSource } from './store.ts';
import { type Transferred, transferAll } from './transfer.ts';

/**
 * Copies all rows of the SQLite database in DATA_DIR to DATABASE_URL, in one transaction. Returns
 * 0.
 */
export async function runTransfer(args: string[]): Promise<number> {
  parseArgs({ args });
  const { dataDir, database, secret } = readConfig();
  if (database.kind !== 'postgres') {
    throw new OperatorError('Set DATABASE_URL to the PostgreSQL database to move to.');
  }
  const path = databaseIn(dataDir);
  if (!existsSync(path)) {
    throw new OperatorError(`No database found at ${path}. Check DATA_DIR.`);
  }
  await requireOwnSecret(dataDir, secret);
  const unlock = lockFolder(dataDir);
  if (!unlock) {
    throw new OperatorError(
      `A Wharf server is using ${dataDir}. Stop it first. Stop it first: what it still takes in would be lost.`,
    );
  }
  try {
    if ((await schemaIn(path)).pending.length > 0) {
      throw new OperatorError(
        'The SQLite database schema is older than this version. Start the server once without DATABASE_URL to migrate it.',
      );
    }
    await requireDecryption(path, secret ?? '');
    const target = await openTarget(database.sessionUrl);
    const source = openSource(path);
    try {
      await requireEmpty(target);
      const tables = await target.transaction(async (tx) => {
        await createTables(tx);
        return transferAll(source, tx);
      });
      printSummary(tables, path);
      return 0;
    } finally {
      source.close();
      await target.close();
    }
  } finally {
    unlock();
  }
}

/**
 * With another secret, encrypted data could not be read, and no token or session would be valid.
 */
async function requireOwnSecret(dataDir: string, secret: string | null) {
  const path = join(dataDir, 'secret');
  if (!existsSync(path)) return;
  const own = (await readFile(path, 'utf8')).trim();
  if (parseSecrets(own).length > 1) {
    throw new OperatorError('The secret is being replaced. Run rotate-secret --finish first.');
  }
  if (own === secret) return;
  throw new OperatorError(`APP_SECRET differs from the secret in ${path}. Set it to that value.`);
}

/**
 * Checks the secret by the rows, because it is in no file where the server got it by APP_SECRET.
 */
async function requireDecryption(path: string, secret: string) {
  const rows = await openDatabaseForReading({ kind: 'sqlite', path });
  try {
    if (await opensRows(rows, secret)) return;
  } finally {
    await rows.close();
  }
  throw new OperatorError(
    'APP_SECRET is not the one the server encrypted its data with. Set it to the value the server used.',
  );
}

async function requireEmpty({ db }: Awaited<ReturnType<typeof openTarget>>) {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (tables.length === 0) return;
  const names = tables.slice(0, 3).map(({ name }) => name);
  throw new OperatorError(
    `The database at DATABASE_URL is not empty. It contains ${names.join(', ')}${tables.length > 3 ? ' and more' : ''}. Nothing was changed.`,
  );
}

function printSummary(tables: Transferred[], path: string) {
  const width = Math.max(...tables.map(({ table }) => table.length)) + 2;
  for (const { table, rows, sum } of tables) {
    process.stdout.write(`${table.padEnd(width)}${String(rows).padStart(10)} rows  ${sum}\n`);
  }
  process.stderr.write(
    `All rows were copied to PostgreSQL; the count and checksum of every table match. Start the server with DATABASE_URL
and APP_SECRET, and archive ${path}.
`,
  );
}
