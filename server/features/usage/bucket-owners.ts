import { LRUCache } from 'lru-cache';
import type { Executor } from '../../platform/db/port.ts';
import { growingTo } from '../../platform/growing-cache.ts';
import { ownersOf } from './store.ts';

/** How many buckets' owners are kept in memory, about 100 bytes each. */
const MAX_OWNERS = 20_000;

/**
 * Looks up the accounts of buckets, and collects the accounts whose usage has grown. A bucket never
 * changes its owner, so an owner that was found once is right for ever, also after the bucket's
 * deletion.
 */
export class BucketOwners {
  private readonly owners = new LRUCache<string, string>(growingTo(MAX_OWNERS));
  private active = new Set<string>();

  /** Returns the owners by the bucket's id. A deleted bucket may be missing. */
  async of(db: Executor, bucketIds: string[]): Promise<Map<string, string>> {
    const owners = new Map<string, string>();
    const unknown: string[] = [];
    for (const id of bucketIds) {
      const owner = this.owners.get(id);
      if (owner === undefined) unknown.push(id);
      else owners.set(id, owner);
    }
    if (unknown.length > 0) {
      for (const [id, owner] of await ownersOf(db, unknown)) {
        this.owners.set(id, owner);
        owners.set(id, owner);
      }
    }
    for (const owner of owners.values()) this.active.add(owner);
    return owners;
  }

  /** Notes an owner that the caller knows. */
  add({ id, user_id }: { id: string; user_id: string }): void {
    this.owners.set(id, user_id);
    this.active.add(user_id);
  }

  /** Returns the accounts whose buckets were asked for since the last call. */
  takeActive(): string[] {
    const active = [...this.active];
    this.active = new Set();
    return active;
  }
}
