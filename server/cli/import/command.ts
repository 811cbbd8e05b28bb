import { parseArgs } from 'node:util';
import { openLiveDatabase } from '../../adapters/operator.ts';
import { remoteBuckets } from '../../adapters/remote-bucket.ts';
import { readConfig, readRemoteKey } from '../../config/config.ts';
import { OperatorError } from '../../config/operator-error.ts';
import { SECOND } from '../../contract/limits.ts';
import { count, formatBytes } from '../../contract/units.ts';
import { AppError } from '../../errors.ts';
import {
  createImport,
  failuresOf,
  importById,
  parseImport,
} from '../../features/imports/service.ts';
import type { Database } from '../../platform/db/port.ts';
import { deriveKeys } from '../../platform/secrets/secrets.ts';
import { requireConfiguredSecret } from '../admin/configured-secret.ts';
import { bucketById } from './store.ts';

const USAGE =
  'Use: import s3 BUCKET_ID SOURCE[/FOLDER] [--endpoint URL] [--region REGION] [--folder FOLDER] [--public] [--no-wait]';
const POLL_INTERVAL_MS = SECOND;

/**
 * Runs `import s3`: stores an import, which the running server does, and follows it. Returns the exit code: 0 once all is
 * copied, 1 where something is not.
 */
export async function runImport([kind, ...args]: string[]): Promise<number> {
  if (kind !== 's3') throw new OperatorError(USAGE);
  const { bucketId, body, waits } = parseImportArgs(args);
  const config = readConfig();
  const database = await openLiveDatabase(config);
  try {
    const bucket = await bucketById(database.db, bucketId);
    if (!bucket) throw new OperatorError(`There is no bucket with the id ${bucketId}.`);
    const keys = deriveKeys(await requireConfiguredSecret(database, config));
    const deps = { database, clock: Date.now, keys, openRemoteBucket: remoteBuckets(config) };
    const { id } = await createImport(deps, bucket, parseImport(body), 'system');
    process.stdout.write(
      `Import ${id} started. The server goes on with it if this command ends.\n`,
    );
    return waits ? await follow(database, id) : 0;
  } catch (error) {
    throw error instanceof AppError ? new OperatorError(error.text) : error;
  } finally {
    await database.close();
  }
}

function parseImportArgs(args: string[]) {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      endpoint: { type: 'string', default: '' },
      region: { type: 'string' },
      folder: { type: 'string' },
      public: { type: 'boolean', default: false },
      'no-wait': { type: 'boolean', default: false },
    },
  });
  const [bucketId, source = '', ...more] = positionals;
  const [bucket = '', ...folders] = source.split('/');
  if (!bucketId || !bucket || more.length > 0) throw new OperatorError(USAGE);
  const key = readRemoteKey();
  return {
    bucketId,
    waits: !values['no-wait'],
    body: {
      ...{ endpoint: values.endpoint, bucket, prefix: folders.join('/') },
      ...{ access_key_id: key.accessKeyId, secret_access_key: key.secretAccessKey },
      ...(values.region !== undefined && { region: values.region }),
      ...(values.folder !== undefined && { folder: values.folder }),
      access: values.public ? ('public' as const) : ('private' as const),
    },
  };
}

/** Prints how far an import is, whenever that has changed, and at its end what could not be copied. */
async function follow(database: Database, id: string): Promise<number> {
  for (let printed = ''; ; ) {
    const row = await importById(database.db, id);
    if (!row) throw new OperatorError('The import has been deleted with its bucket.');
    const { copied, skipped, failed, bytes, error, status } = row;
    const line = `${count(copied, 'file')} copied (${formatBytes(bytes)}), ${skipped} already here, ${failed} failed.${error ? ` ${error}` : ''}\n`;
    if (line !== printed) process.stdout.write(line);
    printed = line;
    if (status === 'running') {
      await Bun.sleep(POLL_INTERVAL_MS);
      continue;
    }
    for (const { key, message } of await failuresOf(database.db, [id])) {
      process.stderr.write(`${key}: ${message}\n`);
    }
    process.stdout.write(`The import is ${status}.\n`);
    return status === 'completed' && failed === 0 ? 0 : 1;
  }
}
