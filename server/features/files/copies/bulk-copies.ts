import type { BulkResultWire, FileWire } from '../../../contract/wire.ts';
import { AppError, notFound } from '../../../errors.ts';
import type { Database } from '../../../platform/db/port.ts';
import { changeApart } from '../changes/each-file.ts';
import { pathMovedTo } from '../paths/paths.ts';
import { fileById } from '../store.ts';
import type { Copies, CopyTarget } from './copies.ts';

type Deps = { database: Database; copies: Pick<Copies, 'copyFile'> };

/** A folder into which files are copied, without a slash at its end; '' for the top. */
type FolderTarget = Omit<CopyTarget, 'path'> & {
  folder: string;
  /** Is called between two files. */
  keepConnected: () => void;
};

/** The server and the account's limits end a call, and what concerns one file does not. */
const isAboutFile = (error: unknown): error is AppError =>
  error instanceof AppError && error.status < 500 && error.status !== 402;

/** Copies the files that a call names. */
export class BulkCopies {
  constructor(private readonly deps: Deps) {}

  /** Copies a file. Its path is that of the file where `target` has none. Throws what `Copies.copyFile` does. */
  copyFile(
    sourceBucketId: string,
    fileId: string,
    { path, ...target }: Omit<CopyTarget, 'path'> & { path: string | null },
  ): Promise<FileWire> {
    return this.copyTo(sourceBucketId, fileId, target, (own) => path ?? own);
  }

  /**
   * Copies files into a folder, one after the other, where each keeps the last part of its path. What was copied before
   * a failure of the server stays.
   */
  async copyFiles(
    sourceBucketId: string,
    ids: string[],
    { folder, keepConnected, ...target }: FolderTarget,
  ): Promise<BulkResultWire> {
    const copy = (id: string) =>
      this.copyTo(sourceBucketId, id, target, (path) => pathMovedTo(folder, path));
    return changeApart({ ids, keepConnected }, copy, isAboutFile);
  }

  private async copyTo(
    sourceBucketId: string,
    fileId: string,
    target: Omit<CopyTarget, 'path'>,
    toPath: (path: string) => string,
  ): Promise<FileWire> {
    const { database, copies } = this.deps;
    const file = await fileById(database.db, fileId);
    if (file?.bucket_id !== sourceBucketId) throw notFound('File');
    return copies.copyFile(sourceBucketId, fileId, { ...target, path: toPath(file.path) });
  }
}
