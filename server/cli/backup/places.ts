import { readdir } from 'node:fs/promises';
import type { Config } from '../../config/config.ts';
import { OperatorError } from '../../config/operator-error.ts';
import { isSystemError } from '../../platform/system-error.ts';

export const MANIFEST = 'manifest.db';
export const SECRET = 'secret';
const GUIDE = 'See docs/guide/backup-and-restore.md.';

/** Throws OperatorError, which says what to use instead, unless all is in DATA_DIR. */
export function mustBeLocal({ database, storage }: Pick<Config, 'database' | 'storage'>): void {
  if (database.kind === 'postgres') {
    throw new OperatorError(
      `This Wharf keeps its rows in PostgreSQL: back them up with pg_dump, or by the archiving of its log, and the files by the means of their storage. ${GUIDE}`,
    );
  }
  const isElsewhere = storage.home.kind !== 'disk' || Object.keys(storage.regions).length > 0;
  if (isElsewhere) {
    throw new OperatorError(
      `This Wharf keeps files in S3: turn on the bucket's versioning or replication, and copy the database with Litestream. ${GUIDE}`,
    );
  }
}

/** What a mounted disk has, and the lock that says that nobody else works here. */
const NOTHING = /^(lost\+found|lock\.db(-journal)?)$/;

export const isEmptyFolder = async (path: string): Promise<boolean> => {
  const names = await readdir(path).catch((error) => {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  });
  return names.every((name) => NOTHING.test(name));
};
