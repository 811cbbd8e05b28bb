import { PAGE_SIZE } from '../../../contract/limits.ts';
import type { FolderPageWire } from '../../../contract/wire.ts';
import type { Database } from '../../../platform/db/port.ts';
import type { Bucket } from '../../buckets/service.ts';
import type { Reader } from '../../tokens/guard.ts';
import type { Tokens } from '../../tokens/service.ts';
import { type FileAddresses, toFileWire } from '../file-wire.ts';
import type { Processing } from '../processing/processing.ts';
import { filesAt } from '../store.ts';
import { folderCursor, parseFolderCursor } from './folder-cursor.ts';
import { folderEntries } from './folder-store.ts';

type Deps = FileAddresses & {
  database: Database;
  tokens: Pick<Tokens, 'mintForList'>;
  processing: Pick<Processing, 'workOf'>;
};

/** The folders of buckets, which are what the paths of their files begin with. */
export class Folders {
  constructor(private readonly deps: Deps) {}

  /**
   * Returns a page of the files and folders directly in a folder, in the byte order of their paths, with a read token
   * of the bucket. Throws bad-request for a cursor that is none.
   * @param reader with the bucket as their right was checked: the token must not be of a newer key
   * @param query.prefix the folder, which ends in '/'; '' for the top
   */
  async list(
    reader: Reader,
    { prefix, cursor, limit = PAGE_SIZE }: { prefix: string; cursor?: string; limit?: number },
  ): Promise<FolderPageWire> {
    const { db } = this.deps.database;
    const { bucket } = reader;
    const after = cursor ? parseFolderCursor(cursor) : null;
    const entries = await folderEntries(db, bucket.id, { prefix, after, limit: limit + 1 });
    const page = entries.slice(0, limit);
    const last = page.at(-1);
    return {
      folders: page.flatMap(({ path, isFolder }) => (isFolder ? path : [])),
      data: await this.filesOf(
        bucket,
        page.flatMap(({ path, isFolder }) => (isFolder ? [] : path)),
      ),
      next: last && entries.length > limit ? folderCursor(last) : null,
      jwt: await this.deps.tokens.mintForList(reader),
    };
  }

  /** Returns the files at some paths in their order. One that was deleted since is left out. */
  private async filesOf(bucket: Bucket, paths: string[]): Promise<FolderPageWire['data']> {
    const { database, processing } = this.deps;
    const rows = await filesAt(database.db, bucket.id, paths);
    const workOf = await processing.workOf(rows);
    const rowByPath = new Map(rows.map((row) => [row.path, row]));
    return paths.flatMap((path) => {
      const row = rowByPath.get(path);
      return row ? toFileWire({ ...row, region: bucket.region }, workOf(row.id), this.deps) : [];
    });
  }
}
