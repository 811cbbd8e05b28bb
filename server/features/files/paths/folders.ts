import { defaultOrder, type FileSort, type SortOrder } from '../../../contract/files/file-order.ts';
import { PAGE_SIZE } from '../../../contract/limits.ts';
import type { FolderPageWire } from '../../../contract/wire.ts';
import { badRequest } from '../../../errors.ts';
import type { Database } from '../../../platform/db/port.ts';
import type { Bucket } from '../../buckets/service.ts';
import type { Reader } from '../../tokens/guard.ts';
import type { Tokens } from '../../tokens/service.ts';
import { type FileAddresses, toFileWire } from '../file-wire.ts';
import { filesAt } from '../store.ts';
import type { VersionHook } from '../version-hook.ts';
import { folderCursor, parseFolderCursor } from './folder-cursor.ts';
import {
  folderEntries,
  MAX_SORTED_ENTRIES,
  type SortedEntry,
  sortedFolderEntries,
} from './folder-store.ts';

type Deps = FileAddresses & {
  database: Database;
  tokens: Pick<Tokens, 'mintForList'>;
  versions: Pick<VersionHook, 'workOf'>;
};

type FolderListQuery = {
  prefix: string;
  cursor?: string;
  limit?: number;
  sort?: FileSort | '';
  order?: SortOrder | '';
};

/** The folders of buckets, which are what the paths of their files begin with. */
export class Folders {
  constructor(private readonly deps: Deps) {}

  /**
   * Returns a page of the files and folders directly in a folder, in the byte order of their paths or as `sort` says,
   * with a read token of the bucket. Throws bad-request for a cursor that is none, and for a folder that is too large
   * to be sorted.
   * @param reader with the bucket as their right was checked: the token must not be of a newer key
   * @param query.prefix the folder, which ends in '/'; '' for the top
   */
  async list(reader: Reader, query: FolderListQuery): Promise<FolderPageWire> {
    const { bucket } = reader;
    const { limit = PAGE_SIZE } = query;
    const entries = await this.entriesOf(bucket.id, { ...query, limit: limit + 1 });
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

  private async entriesOf(
    bucketId: string,
    { prefix, cursor, limit, ...query }: FolderListQuery & { limit: number },
  ): Promise<SortedEntry[]> {
    const { db } = this.deps.database;
    const sort = query.sort || 'name';
    const order = query.order || defaultOrder(sort);
    const after = cursor ? parseFolderCursor(cursor, sort) : null;
    if (sort === 'name') {
      const last = after && { path: after.position, isFolder: after.isFolder };
      const entries = await folderEntries(db, bucketId, { prefix, after: last, limit, order });
      return entries.map((entry) => ({ ...entry, position: entry.path }));
    }
    const entries = await sortedFolderEntries(db, bucketId, { prefix, sort, order, after, limit });
    if (entries === null) {
      const count = MAX_SORTED_ENTRIES.toLocaleString('en');
      throw badRequest(`A folder of more than ${count} entries can be sorted by name only.`);
    }
    return entries;
  }

  /** Returns the files at some paths in their order. One that was deleted since is left out. */
  private async filesOf(bucket: Bucket, paths: string[]): Promise<FolderPageWire['data']> {
    const { database, versions } = this.deps;
    const rows = await filesAt(database.db, bucket.id, paths);
    const workOf = await versions.workOf(rows);
    const rowByPath = new Map(rows.map((row) => [row.path, row]));
    return paths.flatMap((path) => {
      const row = rowByPath.get(path);
      return row ? toFileWire({ ...row, region: bucket.region }, workOf(row.id), this.deps) : [];
    });
  }
}
