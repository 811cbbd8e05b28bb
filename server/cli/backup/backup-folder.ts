import { readdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { openCopy } from '../../adapters/operator.ts';
import type { Config } from '../../config/config.ts';
import { OperatorError } from '../../config/operator-error.ts';
import { isSystemError } from '../../platform/system-error.ts';
import { auditCopy } from '../fsck/audit.ts';

/*
 * What `backup` and `restore` know of the folder that one of them writes and the other reads.
 */

export const MANIFEST = 'manifest.db';
export const SECRET = 'secret';
const GUIDE = 'See docs/guide/backup-and-restore.md.';
/** What a new mounted disk contains, and the lock that a killed run leaves. */
const NOT_CONTENT = /^(lost\+found|lock\.db(-journal)?)$/;

/**
 * Parses the command line of `backup` or `restore`, which name one folder. `--verify` is an option
 * of `backup` alone. Throws OperatorError, and what `parseArgs` throws.
 */
export function parseFolder(
  command: 'backup' | 'restore',
  args: string[],
): { folder: string; isThorough: boolean } {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: command === 'backup' ? { verify: { type: 'boolean', default: false } } : {},
  });
  const [folder] = positionals;
  if (!folder || positionals.length > 1) throw new OperatorError(`Name one folder: ${command} DIR`);
  return { folder, isThorough: values.verify === true };
}

/**
 * Throws OperatorError, which says what to use instead, unless all data of the server is in
 * DATA_DIR.
 */
export function requireLocal({ database, storage }: Pick<Config, 'database' | 'storage'>): void {
  if (database.kind === 'postgres') {
    throw new OperatorError(
      `This server's database is PostgreSQL. Back it up with pg_dump or WAL archiving, and the files with your storage's own tools. ${GUIDE}`,
    );
  }
  if (storage.home.kind !== 'disk' || Object.keys(storage.regions).length > 0) {
    throw new OperatorError(
      `This server stores files in S3. Turn on versioning or replication for the bucket, and copy the database with Litestream. ${GUIDE}`,
    );
  }
}

/** Whether nothing has been put into a folder, or it does not exist. */
export const isEmptyFolder = async (path: string): Promise<boolean> => {
  const names = await readdir(path).catch((error) => {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  });
  return names.every((name) => NOT_CONTENT.test(name));
};

/**
 * Compares the rows of a copy with its objects, and returns a line for each finding.
 * @param database path of the copied database; by default the one in `folder`
 */
export async function auditFolder(folder: string, database?: string): Promise<string[]> {
  const sources = openCopy(folder, database);
  try {
    const findings = await Array.fromAsync(auditCopy(sources, Date.now));
    return findings.map(({ kind, subject, text }) => `${kind.padEnd(10)}${subject}: ${text}`);
  } finally {
    await sources.database.close();
  }
}
