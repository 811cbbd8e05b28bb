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
      `This server's database is PostgreSQL. Back it up with pg_dump or WAL archiving, and the files with your storage's own tools. ${GUIDE}`,
    );
  }
  const isElsewhere = storage.home.kind !== 'disk' || Object.keys(storage.regions).length > 0;
  if (isElsewhere) {
    throw new OperatorError(
      `This server stores files in S3. Turn on versioning or replication for the bucket, and copy the database with Litestream. ${GUIDE}`,
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
