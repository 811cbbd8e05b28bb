import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findRefusal, type Need, type Refusal, toFill, toList, toRead, toWrite } from './access.ts';
import type { Config } from './config.ts';
import { OperatorError } from './operator-error.ts';

/*
 * What must be possible in DATA_DIR. A person who runs a command as root, restores a backup as another user or
 * mounts a volume with another owner leaves parts that the server can't use, some of which it would only
 * notice hours later.
 */

type Settings = Pick<Config, 'dataDir' | 'database' | 'storage' | 'mail'> & {
  /** Null where the secret is in DATA_DIR. */
  secret: string | null;
};

/** Returns why a server can't use a part of DATA_DIR; null where it can use all that exists. */
export function findServerRefusal(settings: Settings): Refusal | null {
  const { dataDir, database, storage, mail, secret } = settings;
  const needs = [
    toFill(dataDir),
    ...(secret === null ? [toRead(join(dataDir, 'secret'))] : []),
    ...(database.kind === 'sqlite' ? databaseFiles(dataDir).map(toWrite) : []),
    ...['backups', 'work', 'spool'].map((name) => toFill(join(dataDir, name))),
    ...(mail.kind === 'outbox' ? [toFill(mail.folder)] : []),
    ...(storage.home.kind === 'disk' ? storageFolders(storage.home.root).map(toFill) : []),
  ];
  return findRefusal(needs, dataDir);
}

/** Throws OperatorError where a server can't use a part of DATA_DIR. */
export const requireServerAccess = (settings: Settings): void =>
  throwRefusal(findServerRefusal(settings));

/** Throws OperatorError where a command can't write to the SQLite database in a folder. */
export const requireWritable = (folder: string): void =>
  requireAll([toFill(folder), ...databaseFiles(folder).map(toWrite)], folder);

/** Throws OperatorError where a command can't read the SQLite database in a folder. */
export function requireReadable(folder: string): void {
  // While no process has the database open, SQLite creates the file of its shared memory beside it.
  const isOpen = existsSync(join(folder, 'wharf.db-shm'));
  const enter = isOpen ? toList(folder) : toFill(folder);
  requireAll([enter, ...databaseFiles(folder).map(toRead)], folder);
}

const requireAll = (needs: Need[], folder: string): void =>
  throwRefusal(findRefusal(needs, folder));

function throwRefusal(refusal: Refusal | null): void {
  if (refusal) throw new OperatorError(`${refusal.text}. ${refusal.remedy}`);
}

const databaseFiles = (folder: string) =>
  ['wharf.db', 'wharf.db-wal', 'wharf.db-shm', 'lock.db'].map((name) => join(folder, name));

const storageFolders = (root: string) => [root, join(root, 'objects'), join(root, 'tmp')];
