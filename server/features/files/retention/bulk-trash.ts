import type { BulkResultWire } from '../../../contract/wire.ts';
import type { BulkFiles } from '../changes/bulk.ts';
import { changeEach } from '../changes/each-file.ts';
import type { RestoreConflict, Restores } from './restores.ts';
import type { Trash } from './trash.ts';

type Deps = {
  restores: Pick<Restores, 'restoreFile'>;
  trash: Pick<Trash, 'deleteForGood'>;
};

/**
 * Restores and purges many files by one call, each in a transaction of its own. One for which that fails leaves the
 * others alone. What was done before a failure of the server stays done, and can be repeated.
 */
export class BulkTrash {
  constructor(private readonly deps: Deps) {}

  /** Restores files. */
  restoreFiles(files: BulkFiles, onConflict: RestoreConflict): Promise<BulkResultWire> {
    const { bucket, actor } = files;
    return this.change(files, (id) =>
      this.deps.restores.restoreFile(bucket, id, { onConflict, actor }),
    );
  }

  /** Deletes files of the trash for good. */
  purgeFiles(files: BulkFiles): Promise<BulkResultWire> {
    const { bucket, actor } = files;
    return this.change(files, (id) => this.deps.trash.deleteForGood(bucket, id, actor));
  }

  private async change(
    { ids, keepConnected }: BulkFiles,
    change: (id: string) => Promise<unknown>,
  ): Promise<BulkResultWire> {
    const data = await changeEach(new Set(ids), (id) => {
      keepConnected();
      return change(id);
    });
    return { data };
  }
}
