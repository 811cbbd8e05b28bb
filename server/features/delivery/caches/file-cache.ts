import { LRUCache } from 'lru-cache';
import { KIB, MIB, MINUTE, SECOND } from '../../../contract/limits.ts';
import type { DeliveredFile } from '../../files/service.ts';
import { OwnerShares } from './owner-shares.ts';

export type CachedFile = { row: DeliveredFile; isCurrent: boolean };
type Entry = CachedFile & { ownerId: string };

/** The limit allows for some 14,000 files. */
const MAX_BYTES = 16 * MIB;
/** What an account keeps however many files of others are requested. */
const SHARE_BYTES = MAX_BYTES / 8;
/** A row without its texts takes about this many bytes. */
const ROW_BYTES = KIB;
/** The deletion of a file is published by its transaction, and processes that can't hear it know after 5 s. */
const TTL_MS = MINUTE;
const TTL_RESOLUTION_MS = SECOND / 10;

/**
 * A cache of files by their ids and by their paths. A path is cached only by the row of its file, which says where the
 * file is: whatever takes a file from its path is an event of that file, and drops both. What is not there is not
 * cached. Whatever leaves the cache is no longer current, as no event would find it.
 */
export class FileCache {
  private readonly entries: LRUCache<string, Entry>;
  private readonly paths = new Map<string, Entry>();
  private readonly shares = new OwnerShares(SHARE_BYTES);

  constructor() {
    this.entries = new LRUCache({
      maxSize: MAX_BYTES,
      sizeCalculation: ({ row }) => sizeOf(row),
      ttl: TTL_MS,
      ttlResolution: TTL_RESOLUTION_MS,
      dispose: (entry) => this.forget(entry),
    });
  }

  /** Returns the file with an id; undefined where it is not cached. */
  get(id: string): CachedFile | undefined {
    return this.entries.get(id);
  }

  /** Returns the file at a path of a bucket; undefined where it is not cached. */
  at(bucketId: string, path: string): CachedFile | undefined {
    const entry = this.paths.get(pathKey(bucketId, path));
    // Reading it by its id counts the use, and drops it once it is too old.
    return entry && this.entries.get(entry.row.id);
  }

  /**
   * Adds a file, unless it is there already.
   * @param ownerId the account that the file counts for
   */
  add(row: DeliveredFile, ownerId: string): void {
    const { entries, shares } = this;
    if (entries.has(row.id)) return;
    const size = sizeOf(row);
    while (entries.calculatedSize + size > MAX_BYTES) {
      const surplus = shares.surplus();
      if (surplus === undefined) break;
      entries.delete(surplus);
    }
    const entry = { row, isCurrent: true, ownerId };
    entries.set(row.id, entry);
    this.paths.set(pathKey(row.bucket_id, row.path), entry);
    shares.add(ownerId, row.id, size);
  }

  delete(id: string): void {
    this.entries.delete(id);
  }

  clear(): void {
    this.entries.clear();
  }

  private forget(entry: Entry): void {
    const { row, ownerId } = entry;
    entry.isCurrent = false;
    this.shares.remove(ownerId, row.id);
    const key = pathKey(row.bucket_id, row.path);
    // The file that has replaced it may be there by now.
    if (this.paths.get(key) === entry) this.paths.delete(key);
  }
}

/** No id of a bucket has a slash. */
const pathKey = (bucketId: string, path: string) => `${bucketId}/${path}`;

/** Returns about how many bytes a row takes with its path. */
const sizeOf = ({ path, name, headers }: DeliveredFile): number =>
  ROW_BYTES + 2 * (2 * path.length + name.length + (headers?.length ?? 0));
