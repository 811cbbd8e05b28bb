import type { BulkResultWire } from '../../../contract/wire.ts';
import { AppError } from '../../../errors.ts';
import type { BulkFiles } from '../changes/bulk.ts';
import type { RestoreConflict, Restores } from './restores.ts';
import type { Trash } from './trash.ts';

type Deps = {
  restores: Pick<Restores, 'restoreFile'>;
  trash: Pick<Trash, 'deleteForGood'>;
};

/** The server is at fault for other errors, and they end the call. */
const isAboutFile = (error: unknown): error is AppError =>
  error instanceof AppError && [404, 409, 422].includes(error.status);

/**
 * Restores and purges many files by one call, each in a transaction of its own. One for which that fails leaves the
 * others alone. What was done before a failure of the server stays done, and can be repeated.
 */
export class BulkTrash {
  constructor(private readonly deps: Deps) {}

  /** Restores files. */
  restoreFiles(files: BulkFiles, onConflict: RestoreConflict): Promise<BulkResultWire> {
    const { bucket, actor } = files;
    return forEachFile(files, async (id) => {
      await this.deps.restores.restoreFile(bucket, id, { onConflict, actor });
    });
  }

  /** Deletes files of the trash for good. */
  purgeFiles(files: BulkFiles): Promise<BulkResultWire> {
    const { bucket, actor } = files;
    return forEachFile(files, (id) => this.deps.trash.deleteForGood(bucket, id, actor));
  }
}

async function forEachFile(
  { ids, keepConnected }: BulkFiles,
  change: (id: string) => Promise<void>,
): Promise<BulkResultWire> {
  const data: BulkResultWire['data'] = [];
  for (const id of new Set(ids)) {
    keepConnected();
    try {
      await change(id);
      data.push({ id, error: null });
    } catch (error) {
      if (!isAboutFile(error)) throw error;
      data.push({ id, error: { code: error.code, message: error.text } });
    }
  }
  return { data };
}
