import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../../config/operator-error.ts';
import { openApiKey } from '../../features/buckets/api-keys/api-key.ts';
import { newestPrimaryKey } from '../../features/buckets/api-keys/api-keys-store.ts';
import type { Database } from '../../platform/db/port.ts';
import { syncFolder } from '../../platform/durable-folders.ts';
import { deriveKeys } from '../../platform/secrets/secrets.ts';

/**
 * Returns the secret of the configuration, or else the one in DATA_DIR; null where there is
 * neither.
 */
export async function configuredSecret(config: {
  dataDir: string;
  secret: string | null;
}): Promise<string | null> {
  const path = join(config.dataDir, 'secret');
  if (config.secret !== null || !existsSync(path)) return config.secret;
  return (await readFile(path, 'utf8')).trim();
}

/**
 * Writes the secret of a data folder or a backup. A crash leaves the file as it was, or as it is to
 * be.
 */
export async function writeSecret(folder: string, secret: string): Promise<void> {
  const fresh = join(folder, 'secret.part');
  await writeFile(fresh, secret, { mode: 0o600, flush: true });
  await rename(fresh, join(folder, 'secret'));
  await syncFolder(folder);
}

/** Whether a secret decrypts the server's data; true where nothing is encrypted yet. */
export async function opensRows({ db }: Pick<Database, 'db'>, secret: string): Promise<boolean> {
  const row = await newestPrimaryKey(db);
  if (!row) return true;
  try {
    openApiKey(deriveKeys(secret), row);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the secret of a server for a command that copies its rows, many of which are encrypted.
 * Throws OperatorError where there is no secret, or it is not the one that the rows were encrypted
 * with.
 */
export async function requireConfiguredSecret(
  database: Pick<Database, 'db'>,
  config: { dataDir: string; secret: string | null },
): Promise<string> {
  const secret = await configuredSecret(config);
  if (secret === null) {
    throw new OperatorError(
      'Set APP_SECRET to the value the server uses; it is not stored in a file.',
    );
  }
  if (await opensRows(database, secret)) return secret;
  throw new OperatorError(
    `${config.secret === null ? `The secret in ${join(config.dataDir, 'secret')}` : 'APP_SECRET'} is not the one the server encrypted its data with. Set APP_SECRET to the value the server uses.`,
  );
}
